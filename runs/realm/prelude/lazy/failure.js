// The error class that scripts catch, and the making of one.
(kit) => {
  "use strict";
  const { cut, defineProperty, ErrorOf, freeze, StringOf } = kit;

  // The facts of an error that the prelude itself is making; a script that makes one names no call and no line.
  let trusted = null;

  class ActionError extends ErrorOf {
    #facts;
    name = "ActionError";
    code;
    retryable;
    detail;
    callSeq;
    tool;
    childRunId;
    constructor(given) {
      const facts = given === trusted && given ? given : factsOfScript(given);
      trusted = null;
      super(facts.message);
      this.#facts = facts;
      this.code = facts.code;
      this.retryable = facts.retryable;
      this.detail = facts.detail;
      this.callSeq = facts.callSeq;
      this.tool = facts.tool;
      this.childRunId = facts.childRunId;
      if (facts.line) {
        defineProperty(this, "stack", { __proto__: null, value: "    at ctx.call (workflow.js:" + facts.line + ")\n", writable: true, configurable: true });
      }
    }
    static factsOf(error) {
      return #facts in error ? error.#facts : null;
    }
  }
  const factsOf = ActionError.factsOf;
  delete ActionError.factsOf;
  freeze(ActionError.prototype);
  freeze(ActionError);

  // new ActionError({code, message, retryable, detail}) in a script, or new ActionError(message).
  function factsOfScript(given) {
    const { code, message, retryable, detail } = typeof given === "object" && given !== null ? given : { message: given };
    return {
      __proto__: null, code: code === undefined ? "workflow-error" : cut(StringOf(code), 200), retryable: retryable === true,
      message: message === undefined ? "" : StringOf(message), detail: detail === undefined ? null : detail,
      callSeq: null, tool: null, childRunId: null, line: 0,
    };
  }
  function failureOf(facts) {
    trusted = facts;
    return new ActionError(facts);
  }
  // The error of the call `seq` made at `line`, from what the host tells of its failure.
  function ofCall(seq, { code, message, retryable, detail, tool, childRunId }, line) {
    return failureOf({
      __proto__: null, code, message, retryable: retryable === true, detail: detail === undefined ? null : detail,
      callSeq: seq, tool: tool === undefined ? null : tool, childRunId: childRunId === undefined ? null : childRunId, line,
    });
  }
  function invalid(message) {
    return failureOf({
      __proto__: null, code: "invalid-input", message, retryable: false, detail: null, callSeq: null, tool: null,
      childRunId: null, line: 0,
    });
  }

  return { __proto__: null, ActionError, factsOf, invalid, ofCall };
}
