package io.ensemble.listen;

import io.ensemble.ChangeStamp;
import java.util.Optional;

/**
 * What a {@link ChangeMerger} knew of a key when a read of it began.
 *
 * @param shown the last write shown
 * @param votes how many votes were counted, of all keys
 */
public record ReadBasis(Optional<ChangeStamp> shown, long votes) {}
