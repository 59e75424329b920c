// The options of ctx.call, checked.
(kit) => {
  "use strict";
  const { apply, cut, floor, invalid, keys, msOf, readable, SLEEP_MAX, stringify, stringSlice } = kit;
  const CALL_OPTIONS = { __proto__: null, description: 1, timeoutMs: 1, retry: 1 };
  const RETRY_OPTIONS = { __proto__: null, maxAttempts: 1, backoffMs: 1, maxBackoffMs: 1 };

  function callOptions(options) {
    if (options === undefined || options === null) return "null";
    if (typeof options !== "object") throw invalid("the options of ctx.call are an object: {description, timeoutMs, retry}");
    onlyKnown(options, CALL_OPTIONS, "ctx.call has no option ", "description, timeoutMs, retry");
    const { description, timeoutMs, retry } = options;
    let text = "";
    if (description !== undefined && description !== null) text += ',"description":' + stringify(cut(readable(description), 500));
    if (timeoutMs !== undefined) text += ',"timeoutMs":' + atLeast(msOf(timeoutMs), 1, "timeoutMs");
    if (retry !== undefined && retry !== null) text += ',"retry":' + retryOptions(retry);
    return "{" + apply(stringSlice, text, [1]) + "}";
  }

  function retryOptions(retry) {
    if (typeof retry !== "object") throw invalid("retry is an object: {maxAttempts, backoffMs, maxBackoffMs}");
    onlyKnown(retry, RETRY_OPTIONS, "retry has no option ", "maxAttempts, backoffMs, maxBackoffMs");
    const { maxAttempts = 3, backoffMs = 1000, maxBackoffMs = 60000 } = retry;
    const attempts = atLeast(maxAttempts, 1, "retry.maxAttempts");
    if (attempts > 100) throw invalid("retry.maxAttempts is " + attempts + "; the most is 100");
    return '{"maxAttempts":' + floor(attempts) + ',"backoffMs":' + atLeast(msOf(backoffMs), 0, "retry.backoffMs") +
      ',"maxBackoffMs":' + atLeast(msOf(maxBackoffMs), 0, "retry.maxBackoffMs") + "}";
  }

  function atLeast(value, min, name) {
    if (typeof value !== "number" || value - value !== 0 || value < min || value > SLEEP_MAX) {
      throw invalid(name + " is a number of at least " + min + ", not " + shown(value));
    }
    return value;
  }
  // As in the script: '5' and 5 are told apart.
  function shown(value) {
    return typeof value === "string" ? stringify(cut(value, 200)) : readable(value);
  }
  function onlyKnown(object, known, prefix, list) {
    const names = keys(object);
    for (let i = 0; i < names.length; i++) {
      if (known[names[i]] === undefined) throw invalid(prefix + shown(names[i]) + "; there are " + list);
    }
  }

  function noTool(tool) {
    return invalid("ctx.call takes the name of a tool, not " + shown(tool));
  }

  return { __proto__: null, callOptions, noTool, onlyKnown };
}
