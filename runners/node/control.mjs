// JSON for requests and replies. JSON is under test, and V8 keeps the shapes of
// objects that JSON.parse made, per realm: so this one is of a realm of its own.
import { runInNewContext } from 'node:vm';

export const control = runInNewContext('JSON');
