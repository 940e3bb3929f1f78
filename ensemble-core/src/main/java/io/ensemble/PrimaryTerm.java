package io.ensemble;

import io.ensemble.stamp.WriterId;
import java.util.Optional;

/**
 * Whose turn it is in an SWMR cache. It may be over by the time that it is looked at.
 *
 * @param epoch the term's number; grows with every change of primary or writer
 * @param primary the site that answers reads and orders writes
 * @param writer the process that may write; empty while none has a claim
 * @param active false until all trust in the former term has run out: nothing is read or written
 * @param whole whether every key has been recovered into this term, until when a key's first use
 *     costs more round trips, and nothing that a fail-over lost can come back any more
 */
public record PrimaryTerm(
    long epoch, String primary, Optional<WriterId> writer, boolean active, boolean whole) {}
