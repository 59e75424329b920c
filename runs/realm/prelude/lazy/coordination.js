// Children, signals and successors: ctx.delegate (ctx.agent), ctx.waitForEvent and ctx.continueAsNew.
(kit) => {
  "use strict";
  const {
    apply, callerLine, ceil, cut, emit, encodeWithin, invalid, issue, mapForEach, msOf, never, open, part, readable, rejected,
    made, SLEEP_MAX, stringify, world,
  } = kit;
  const SPEC = { __proto__: null, script: 1, agent: 1, workflow: 1, input: 1, title: 1, output: 1, description: 1 };
  const WAIT_OPTIONS = { __proto__: null, timeout: 1, label: 1 };
  const MATCH = { __proto__: null, signal: 1 };

  // ctx.delegate({script | agent | workflow, input, title, output, description}); title, description and the step that it
  // stands in are narration.
  function delegate(spec) {
    let kept, title, description;
    try {
      if (typeof spec !== "object" || spec === null) throw invalid("ctx.delegate takes {script, input, title}, {agent, input} or {workflow, input}");
      part("options").onlyKnown(spec, SPEC, "ctx.delegate has no field ", "script, agent, workflow, input, title, output, description");
      const { script, agent, workflow, input, output } = spec;
      const given = (script !== undefined) + (agent !== undefined) + (workflow !== undefined);
      if (given !== 1) throw invalid("ctx.delegate takes one of script, agent and workflow, not " + given);
      const name = script !== undefined ? "script" : agent !== undefined ? "agent" : "workflow";
      const what = script !== undefined ? script : agent !== undefined ? agent : workflow;
      if (typeof what !== "string" || what === "") throw invalid(name + " of ctx.delegate is a text, not " + readable(what));
      kept = '"' + name + '":' + stringify(what) + ',"input":' + encodeWithin(input, "the input of ctx.delegate") +
        (output === undefined ? "" : ',"output":' + encodeWithin(output, "the output schema of ctx.delegate"));
      title = spec.title === undefined || spec.title === null ? "" : ',"title":' + stringify(cut(readable(spec.title), 200));
      const told = spec.description;
      description = told === undefined || told === null ? "null" : stringify(cut(readable(told), 500));
    } catch (error) {
      return rejected(error, "ctx.delegate", callerLine());
    }
    return issue("agent", "agent|{" + kept + "}", "{" + kept + title + "}," + description + "," + (made.plan ? made.plan.here() : "null"), "ctx.delegate");
  }

  // ctx.waitForEvent(match, {timeout, label}): {} matches any signal; resolves with {signal, payload}, or null in time.
  function waitForEvent(match, options) {
    let wanted, timeout, label;
    try {
      if (match === undefined || match === null) match = {};
      if (typeof match !== "object") throw invalid("ctx.waitForEvent takes {} for any signal or {signal: 'name'}, not " + readable(match));
      part("options").onlyKnown(match, MATCH, "a match has no field ", "signal");
      const { signal } = match;
      if (signal !== undefined && (typeof signal !== "string" || signal === "")) throw invalid("signal of ctx.waitForEvent is a name, not " + readable(signal));
      wanted = signal === undefined ? "{}" : '{"signal":' + stringify(signal) + "}";
      if (options === undefined || options === null) options = {};
      if (typeof options !== "object") throw invalid("the options of ctx.waitForEvent are an object: {timeout, label}");
      part("options").onlyKnown(options, WAIT_OPTIONS, "ctx.waitForEvent has no option ", "timeout, label");
      const ms = msOf(options.timeout);
      if (ms !== undefined && ms !== null && (typeof ms !== "number" || ms - ms !== 0 || ms < 0 || ms > SLEEP_MAX)) {
        throw invalid("timeout of ctx.waitForEvent is a number of ms of at least 0, not " + readable(options.timeout));
      }
      timeout = ms === undefined || ms === null ? "" : "" + ceil(ms);
      label = options.label === undefined || options.label === null ? "null" : stringify(cut(readable(options.label), 200));
    } catch (error) {
      return rejected(error, "ctx.waitForEvent", callerLine());
    }
    return issue("wait", "wait|" + wanted + "|" + timeout, wanted + "," + (timeout || "null") + "," + label, "ctx.waitForEvent");
  }

  // ctx.continueAsNew(state) hands on to a successor that gets `state` as its input; never resolves.
  function continueAsNew(state) {
    let text;
    try {
      text = encodeWithin(state, "the state of ctx.continueAsNew");
    } catch (error) {
      return rejected(error, "ctx.continueAsNew", callerLine());
    }
    if (!world.settled) {
      world.settled = true;
      emit('["continue",' + text + "]");
    }
    return never();
  }

  // The callSeqs of open waits that somebody still awaits, as JSON.
  function live() {
    let text = "";
    apply(mapForEach, open, [(state, seq) => {
      if (state.what === "ctx.waitForEvent" && state.awaiting > 0) text += (text && ",") + seq;
    }]);
    return "[" + text + "]";
  }

  return { __proto__: null, delegate, waitForEvent, continueAsNew, live };
}
