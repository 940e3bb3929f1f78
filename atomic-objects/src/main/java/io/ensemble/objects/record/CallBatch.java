package io.ensemble.objects.record;

import java.util.List;
import java.util.UUID;

/**
 * Calls of one session that take effect in one step. A session has one batch under way at a time:
 * it numbers the next one when it knows what became of this one.
 *
 * @param birth of the object that is meant: a later object of that name is another one
 * @param session whose calls they are
 * @param number the session's own count of batches, from 1
 * @param base the sequence of a root that the session had seen when it made this batch
 * @param calls at least one
 */
public record CallBatch(UUID birth, UUID session, long number, long base, List<ByteString> calls) {

  /** Copies the list. */
  public CallBatch {
    calls = List.copyOf(calls);
  }
}
