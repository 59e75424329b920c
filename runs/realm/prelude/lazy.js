// Lazy parts: what few scripts use is text until its first use, because parsing is most of what a fresh realm costs.
// A part is a function expression of `kit`; it comes after the script and may use nothing but its kit and syntax, since
// every global may be another by then. It closes over no state but its own and the kit's `world`.
const evaluate = eval; // called by another name, so that the text sees nothing of the prelude
const STACK_ROOM = 24; // frames of 1.7 KB; no part needs more than 12 KB of stack to compile
const HEAP_ROOM = 96 * 1024; // bytes; no part needs more than 34 KB to compile
const sources = { __proto__: null };
const made = { __proto__: null };

function part(name) {
  return made[name] || (made[name] = compiled(sources[name])(kit));
}
// A parser that runs out of stack or memory halfway may take the text for another, so there must be room for all of it;
// where there is none, the script is told what it would be told of any other call.
function compiled(text) {
  room(STACK_ROOM);
  return evaluate(text);
}
function room(frames) {
  return frames === 0 ? new Bytes(HEAP_ROOM).length : room(frames - 1) + 1;
}

// A global that is made when the script first asks for it, and from then on is the constant that it seems to be.
function lazyGlobal(name, from) {
  const make = () => {
    const value = part(from)[name];
    fix(globalThis_, name, value);
    return value;
  };
  defineProperty(globalThis_, name, {
    __proto__: null, get: make, set(value) { make(); globalThis_[name] = value; }, enumerable: false, configurable: true,
  });
}
