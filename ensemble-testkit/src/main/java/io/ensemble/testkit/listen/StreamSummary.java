package io.ensemble.testkit.listen;

import java.util.Map;

/**
 * What listeners received.
 *
 * @param listeners the number of listeners
 * @param streams the number of streams that they opened
 * @param changes the number of changes in all streams
 * @param gaps the number of gaps of each reason, in lower case
 */
public record StreamSummary(long listeners, long streams, long changes, Map<String, Long> gaps) {}
