// Goes on with the next batch of a bulk action by itself, unless somebody stops it.

const form = document.querySelector('form[data-go-on]');
const timer = setTimeout(() => form.requestSubmit(), 800);
document.querySelector('[data-stop]').addEventListener('click', () => clearTimeout(timer));
