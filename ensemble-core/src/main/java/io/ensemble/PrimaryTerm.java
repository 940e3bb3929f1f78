package io.ensemble;

import io.ensemble.stamp.WriterId;
import java.util.Optional;

/**
 * The term of an SWMR cache: its primary and its writer. The term may be over by the time that the
 * caller reads it.
 *
 * @param epoch the term's number; grows with every change of primary or writer
 * @param primary the site that answers reads and orders writes
 * @param writer the process that may write; empty while there is none
 * @param active false until all leases of the former term have expired; until then nothing is read
 *     or written
 * @param whole whether every key has been recovered into this term. Until then the first use of a
 *     key costs more round trips; from then on no write that a fail-over lost can reappear
 */
public record PrimaryTerm(
    long epoch, String primary, Optional<WriterId> writer, boolean active, boolean whole) {}
