// Log lines; and console, which is ctx.log.
(kit) => {
  "use strict";
  const {
    apply, callerLine, cut, encodeWithin, freeze, invalid, never, readable, record, rejected, resolved, stringify, StringOf,
    toStringTag, world,
  } = kit;
  const LEVELS = { __proto__: null, debug: "debug", info: "info", warn: "warn", error: "error", log: "info" };
  const LOG_MESSAGE_MAX = 16384;

  function writeLog(level, message, data) {
    const text = stringify(cut(message, LOG_MESSAGE_MAX));
    record("log|" + level + "|" + text + "|" + data, (seq) => '"log",' + seq + ',"' + level + '",' + text + "," + data);
  }

  // ctx.log(message) or ctx.log(level, message, data); `given` counts the arguments
  function log(given, level, message, data) {
    try {
      if (given < 2) {
        message = level;
        level = "info";
      }
      const known = LEVELS[level];
      if (known === undefined) throw invalid("ctx.log has no level " + readable(level) + "; there are debug, info, warn, error");
      writeLog(known, readable(message), data === undefined ? "null" : encodeWithin(plain(data), "the data of ctx.log"));
    } catch (error) {
      return rejected(error, "ctx.log", callerLine());
    }
    return world.diverged ? never() : resolved(undefined);
  }

  // Errors are what people log most; told by name, message and stack.
  function plain(value) {
    if (typeof value !== "object" || value === null || apply(toStringTag, value, []) !== "[object Error]") return value;
    return { name: StringOf(value.name), message: StringOf(value.message), stack: StringOf(value.stack) };
  }

  function sayer(level) {
    return function () {
      let text = "";
      for (let i = 0; i < arguments.length; i++) text += (i ? " " : "") + readable(arguments[i]);
      writeLog(level, text, "null");
    };
  }
  const console = freeze({
    log: sayer("info"), debug: sayer("debug"), info: sayer("info"), warn: sayer("warn"), error: sayer("error"),
  });

  return { __proto__: null, log, console };
}
