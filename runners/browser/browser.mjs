// The browser's name and version, once known.
let name;

export async function browser() {
  name ??= await ask();
  return name;
}

// ask takes the full version where the browser gives it: what it sends to servers
// is cut short.
async function ask() {
  const data = navigator.userAgentData;
  if (!data) return navigator.userAgent.match(/\b[A-Z]\w+\/[\d.]+$/)?.[0].replace('/', ' ') ?? navigator.userAgent;
  const { fullVersionList } = await data.getHighEntropyValues(['fullVersionList']);
  const brands = fullVersionList.filter(({ brand }) => !/not.?a.?brand/i.test(brand));
  return brands.map(({ brand, version }) => `${brand} ${version}`).join(', ');
}
