// What is told of an uncaught error.
(kit) => {
  "use strict";
  const { cut, encode, ErrorOf, made, readable, stringify, StringOf, TypeErrorOf } = kit;

  // What the host is told of a value that was thrown: JSON text. Reading a hostile error may throw; then that is told.
  function describe(error) {
    const told = { __proto__: null, name: "Error", message: "", stack: "", action: null };
    try {
      if (typeof error === "object" && error !== null) {
        const { name } = error;
        told.name = name === undefined ? "" : StringOf(name);
        told.message = messageOf(error);
        told.stack = typeof error.stack === "string" ? error.stack : "";
        for (let cause = error, i = 0; typeof cause === "object" && cause !== null && i < 8; cause = cause.cause, i++) {
          const facts = made.failure ? made.failure.factsOf(cause) : null; // without the class there is no error of it
          if (facts) {
            told.action = facts;
            told.direct = i === 0;
            break;
          }
        }
      } else {
        told.name = "";
        told.message = StringOf(error);
      }
    } catch {
      told.message = told.message || "an error that cannot be read";
    }
    const facts = told.action;
    return '{"name":' + stringify(cut(told.name, 200)) + ',"message":' + stringify(cut(told.message, 8192)) +
      ',"stack":' + stringify(cut(told.stack, 8192)) + (facts ? ',"direct":' + (told.direct ? "true" : "false") +
      ',"action":{"code":' + stringify(facts.code) + ',"message":' + stringify(cut(facts.message, 8192)) +
      ',"retryable":' + (facts.retryable ? "true" : "false") + ',"detail":' + jsonOrNull(facts.detail) +
      ',"callSeq":' + jsonOrNull(facts.callSeq) + ',"tool":' + jsonOrNull(facts.tool) + ',"childRunId":' + jsonOrNull(facts.childRunId) + ',"line":' + facts.line + "}" : "") + "}";
  }
  function messageOf(error) {
    const { message } = error;
    return message === undefined ? readable(error) : StringOf(message);
  }
  function jsonOrNull(value) {
    try {
      return encode(value, "detail");
    } catch {
      return "null";
    }
  }

  function neverFinished() {
    return describe(new ErrorOf("the top level of the script never finished; await inside the default export"));
  }
  function noFunction() {
    return describe(new TypeErrorOf("the default export is not a function; write export default async function (input, ctx) { ... }"));
  }

  return { __proto__: null, describe, neverFinished, noFunction };
}
