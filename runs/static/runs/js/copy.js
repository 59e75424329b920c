// A click on [data-copy] copies it.

document.addEventListener('click', async (event) => {
  const button = event.target.closest('[data-copy]');
  if (!button) return;
  try {
    await navigator.clipboard.writeText(button.dataset.copy);
    button.dataset.copied = '';
    setTimeout(() => delete button.dataset.copied, 1500);
  } catch { // without the permission, or over plain HTTP: at least it is selected
    getSelection().selectAllChildren(button);
  }
});
