// Asks the server what is wrong with a source or an input; the words are the server's. Also watches fields of JSON.

/** The answer of /runs/lint/, or null while the server does not answer: then sending the form says it. */
export async function ask(address, fields) {
  const token = document.querySelector('input[name="csrfmiddlewaretoken"]')?.value ?? '';
  try {
    const answer = await fetch(address, { method: 'POST', headers: { 'X-CSRFToken': token }, body: new URLSearchParams(fields) });
    return answer.ok && !answer.redirected ? await answer.json() : null;
  } catch {
    return null;
  }
}

const PAUSE = 400;

function say(field, text) {
  const room = field.closest('.field');
  const id = `${field.id}_error`;
  let words = document.getElementById(id);
  if (!words) {
    words = document.createElement('p');
    words.id = id;
    words.className = 'wrong-text';
    words.setAttribute('role', 'status');
    field.after(words);
    field.setAttribute('aria-describedby', [field.getAttribute('aria-describedby'), id].filter(Boolean).join(' '));
  }
  words.textContent = text;
  words.hidden = !text;
  room.classList.toggle('wrong', Boolean(text));
  field.toggleAttribute('aria-invalid', Boolean(text));
  if (text) field.setAttribute('aria-invalid', 'true');
}

for (const field of document.querySelectorAll('textarea[data-json]')) {
  const address = document.querySelector('[data-lint]')?.dataset.lint;
  let timer = 0;
  if (!address) continue;
  field.addEventListener('input', () => {
    clearTimeout(timer);
    timer = setTimeout(async () => {
      const asked = field.value;
      const answer = await ask(address, { input: asked });
      if (answer && asked === field.value) say(field, answer.input);
    }, PAUSE);
  });
}
