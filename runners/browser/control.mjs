// JSON for requests and replies. JSON is under test, and engines keep the shapes
// of objects that JSON.parse made, per realm: so this one is of a realm of its own.
const frame = document.createElement('iframe');
frame.hidden = true;
document.body.append(frame);

export const control = frame.contentWindow.JSON;
