package types;

/** What a document or a part of it adds to a checksum. */
public interface Message {
    int visit();
}
