package io.ensemble.testkit.link;

/**
 * Bytes over a link, without the headers of TCP and the layers below.
 *
 * @param requestBytes bytes to the site
 * @param replyBytes bytes from the site
 */
public record Traffic(long requestBytes, long replyBytes) {}
