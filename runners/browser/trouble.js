// Tells wirecost when the page cannot work at all: it then says so at once
// instead of waiting for a page that never answers.
'use strict';
(() => {
  let told = false;
  const show = (id, text) => document.getElementById(id)?.replaceChildren(text);
  const tell = what => {
    if (told) return;
    told = true;
    show('doing', 'This page does not work here');
    show('step', what);
    fetch('trouble', { method: 'POST', body: what.slice(0, 1000) }).catch(() => {});
  };
  addEventListener('error', event => {
    const { target } = event;
    if (target instanceof Element) tell(`${target.src || target.href} does not load`);
    else tell(`${event.message} (${event.filename}:${event.lineno}:${event.colno})`);
  }, true);
  addEventListener('unhandledrejection', event => tell(String(event.reason?.stack ?? event.reason)));
})();
