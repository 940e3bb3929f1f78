/**
 * Histories of operations as clients saw them, and a judge of whether they are linearizable.
 *
 * <p>A {@link io.ensemble.testkit.history.HistoryRecorder} records when each operation was called,
 * when it returned and how it ended; an outcome that the client cannot know stays open. {@link
 * io.ensemble.testkit.linearizability.LinearizabilityChecker} then looks, key by key, for one order
 * of the operations that a {@link io.ensemble.testkit.history.SequentialModel} accepts and that
 * respects time. Histories are written and read as text, one JSON object per line.
 */
@NullMarked
package io.ensemble.testkit.history;

import org.jspecify.annotations.NullMarked;
