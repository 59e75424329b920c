// Races: the first of several to be done decides, live and on replay alike, because results arrive in journal order.
//
// Input, all of it optional: {url, withinMs}. With url a request races a timer of withinMs (default 2000).
export default async function (input, ctx) {
  const { url = null, withinMs = 2000 } = input ?? {};
  const sleeper = async (name, ms) => {
    await ctx.sleep(ms);
    return name;
  };

  const winner = await ctx.step('Two timers', () => Promise.race([sleeper('tortoise', 700), sleeper('hare', 300)]));

  // The timer that lost is dropped when the run ends; a call that lost is finished and recorded.
  const first = await ctx.step('A call and a timer', () => Promise.race([
    ctx.call('echo', { v: 'the call' }, { description: 'Racing a timer' }),
    sleeper('the timer', 5000),
  ]));

  const answered = url === null ? null : await ctx.step('A request within its time', () => Promise.race([
    ctx.call('http.request', { url }, { description: `Asking within ${withinMs} ms` }).then(({ status }) => status),
    sleeper('too late', withinMs),
  ]));
  return { winner, first, answered };
}
