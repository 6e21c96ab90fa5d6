// Holds codecs and times them, in a page. Speaks wirecost's runner protocol: each
// message of a WebSocket is a line of it.
import { answer } from './harness/answer.mjs';
import { Server } from './harness/server.mjs';
import { browser } from './browser.mjs';
import { control } from './control.mjs';
import { platform } from './platform.mjs';
import { show, showing } from './status.mjs';
import { call } from './transports.mjs';

class Page extends Server {
  call = call && (request => call(request, this.find(request)));

  async describe() {
    const description = await super.describe();
    const { clock_step_ns: step } = description;
    show({ clock: `steps of ${step < 1000 ? `${step} ns` : `${step / 1000} µs`}${crossOriginIsolated ? '' : ' (the page is not isolated)'}` });
    return description;
  }
}

const server = new Page(platform);
const noting = showing(control);
show({ browser: await browser() });

const socket = new WebSocket(new URL('wire', document.baseURI.replace(/^http/, 'ws')));
socket.addEventListener('message', async ({ data }) => {
  const { reply, stop } = await answer(server, data, noting);
  socket.send(reply);
  if (stop) show({ doing: 'Done', step: 'nothing more' });
});
socket.addEventListener('close', () => show({ doing: 'Done', step: 'wirecost has ended: this page may be closed' }));
