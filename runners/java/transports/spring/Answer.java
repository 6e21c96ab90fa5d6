package transports.spring;

/** An object to be sent, with what it is sent with. */
record Answer(Shelf.Item item, Object object, boolean gzip) {}
