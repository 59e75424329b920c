// Turns the text area of a source into an editor, with lint marks while somebody types. Without it the text area stays,
// and the server says the same after sending.

import { ask } from './linting.js';

const PAUSE = 300;

/** Lint counts characters, the editor UTF-16 units. */
function unit(line, column) {
  return [...line].slice(0, column - 1).join('').length;
}

function marksOf(session, findings) {
  const { Range } = ace.require('ace/range');
  return findings.map((found) => {
    const from = session.getLine(found.line - 1) ?? '';
    const to = session.getLine(found.endLine - 1) ?? '';
    const range = new Range(found.line - 1, unit(from, found.column), found.endLine - 1, unit(to, found.endColumn));
    if (range.isEmpty()) range.end.column += 1;
    return session.addMarker(range, `lint-${found.severity}`, 'text');
  });
}

class Editor {
  constructor(room) {
    this.room = room;
    this.field = room.querySelector('textarea[data-source]');
    this.list = room.querySelector('.findings');
    this.markers = [];
    this.first = this.field.value;
    this.open();
  }

  open() {
    ace.config.set('useStrictCSP', true);
    ace.define('ace/theme/daybook', ['require', 'exports'], (_require, exports) => Object.assign(exports, { cssClass: 'ace-daybook', isDark: false, cssText: '' }));
    const place = document.createElement('div');
    this.field.after(place);
    this.room.classList.add('live');
    this.editor = ace.edit(place, {
      useWorker: false, mode: 'ace/mode/javascript', theme: 'ace/theme/daybook', value: this.field.value, tabSize: 2, useSoftTabs: true,
      minLines: 14, maxLines: 34, showPrintMargin: false, highlightActiveLine: true, fontSize: '', fontFamily: '',
    });
    this.editor.session.on('change', () => this.changed());
    this.name();
    this.letGo();
    if (this.room.dataset.line) this.editor.gotoLine(Number(this.room.dataset.line), 0, false);
    this.lint();
  }

  /** The editor is announced by the words of the label. */
  name() {
    const input = this.editor.textInput.getElement();
    const keys = this.room.querySelector('.keys');
    keys.hidden = false;
    const label = this.room.querySelector('label');
    this.editor.setOption('textInputAriaLabel', label.textContent);
    input.setAttribute('aria-describedby', `${keys.id} ${this.list.id}`);
    label.addEventListener('click', () => this.editor.focus());
    if (this.field.matches('[autofocus], [aria-invalid="true"]')) this.editor.focus();
  }

  /** Tab indents, until Escape: then it leaves, as everywhere else on the page. */
  letGo() {
    const bind = (tab, back) => {
      this.editor.commands.bindKey('Tab', tab);
      this.editor.commands.bindKey('Shift-Tab', back);
    };
    this.editor.commands.addCommand({ name: 'letGo', bindKey: 'Esc', readOnly: true, exec: () => bind(null, null) });
    this.editor.on('focus', () => bind('indent', 'outdent'));
  }

  changed() {
    this.field.value = this.editor.getValue();
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.lint(), PAUSE);
  }

  async lint() {
    const asked = this.editor.getValue();
    const answer = asked.trim() ? await ask(this.room.dataset.lint, { source: asked }) : { findings: [], source: '' };
    if (answer && asked === this.editor.getValue()) this.show(answer);
  }

  show({ findings, source }) {
    const { session } = this.editor;
    for (const marker of this.markers) session.removeMarker(marker);
    this.markers = marksOf(session, findings);
    session.setAnnotations(findings.map((found) => ({
      row: found.line - 1, column: found.column - 1, text: found.message, type: found.severity,
    })));
    this.list.querySelector('.wrong-text')?.remove();
    if (source) {
      const text = document.createElement('p');
      text.className = 'wrong-text';
      text.textContent = source;
      this.list.prepend(text);
    }
    this.list.querySelector('ol').replaceChildren(...findings.map((found) => this.item(found)));
    this.room.classList.toggle('wrong', Boolean(source) || findings.some((found) => found.severity === 'error'));
  }

  item(found) {
    const item = document.importNode(this.room.querySelector('template[data-finding]').content, true).firstElementChild;
    item.dataset.severity = found.severity;
    const [link, text] = item.children;
    link.textContent = `${found.line}:${found.column}`;
    text.textContent = found.message;
    link.addEventListener('click', (event) => {
      event.preventDefault();
      this.editor.gotoLine(found.line, unit(this.editor.session.getLine(found.line - 1), found.column), false);
      this.editor.focus();
    });
    return item;
  }

  get dirty() {
    return this.editor.getValue() !== this.first;
  }
}

const editors = window.ace ? [...document.querySelectorAll('[data-editor]')].map((room) => new Editor(room)) : [];

// Leaving the page by accident must not cost what was written.
let sending = false;
document.addEventListener('submit', () => { sending = true; });
addEventListener('pageshow', () => { sending = false; });
addEventListener('beforeunload', (event) => {
  if (!sending && editors.some((editor) => editor.dirty)) event.preventDefault();
});
