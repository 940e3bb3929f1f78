package io.ensemble.testkit.link;

/**
 * Bytes on a line, those of TCP and below left out.
 *
 * @param requestBytes to the site
 * @param replyBytes back from it
 */
public record Traffic(long requestBytes, long replyBytes) {}
