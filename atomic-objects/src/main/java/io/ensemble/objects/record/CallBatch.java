package io.ensemble.objects.record;

import java.util.List;
import java.util.UUID;

/**
 * Calls of one session that take effect in one step. A session has one batch in progress at a time;
 * it numbers the next one after it has learned the outcome of this one.
 *
 * @param birth the birth of the object; a later object of that name has another birth
 * @param session the session that made the calls
 * @param number the number of this batch in its session, from 1
 * @param base the sequence of a root that the session had read when it made this batch
 * @param calls at least one
 */
public record CallBatch(UUID birth, UUID session, long number, long base, List<ByteString> calls) {

  /** Copies the list. */
  public CallBatch {
    calls = List.copyOf(calls);
  }
}
