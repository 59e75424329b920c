// What replay answers from, and where it parts from the journal.
(kit) => {
  "use strict";
  const { append, apply, cut, flatKey, groups, keepScript, list, mapForEach, stringify, world } = kit;

  // Runs before the script is loaded, so that it may iterate.
  // Groups arrive as [op, callSeq, line, done, ...what the key is made of]; a recorded value follows where there is one.
  function loadGroups(rows) {
    for (const [op, seq, line, done, a, b, c] of rows) {
      let key = op + "|";
      if (op === "tool") key += stringify(a) + "|" + stringify(b);
      else if (op === "log") key += a + "|" + stringify(b) + "|" + stringify(c);
      else if (op === "wait") key += stringify(a) + "|" + (b === null ? "" : b);
      else if (op === "plan" || op === "agent") key += stringify(a);
      else if (op === "now") key = "now";
      else key += a;
      key = flatKey(key);
      let of = groups.get(key);
      if (of === undefined) {
        of = list();
        of.first = 0;
        groups.set(key, of);
      }
      append(of, { __proto__: null, key, callSeq: seq, line, done, value: op === "now" ? a : null });
      world.recorded++;
    }
  }

  function loadScripts(texts) {
    for (const text of texts) keepScript(text);
  }

  function loadCompletions(rows) {
    const { completions } = world;
    for (const [seq, ok, value] of rows) append(completions, { __proto__: null, callSeq: seq, ok, value });
  }

  // JSON of the oldest recorded group that the script has not asked for: {callSeq, key}, or null.
  function recordedText() {
    let oldest = null;
    apply(mapForEach, groups, [(of) => {
      if (of.first < of.n && (oldest === null || of[of.first].callSeq < oldest.callSeq)) oldest = of[of.first];
    }]);
    return oldest === null ? "null" : '{"callSeq":' + oldest.callSeq + ',"key":' + stringify(cut(oldest.key, 300)) + "}";
  }

  // JSON of {asked, line, recorded}.
  function parting() {
    const { asked, line } = world.diverged || { asked: "", line: world.lastLine };
    return '{"asked":' + stringify(cut(asked, 300)) + ',"line":' + line + ',"recorded":' + recordedText() + "}";
  }

  return { __proto__: null, loadScripts, loadGroups, loadCompletions, parting };
}
