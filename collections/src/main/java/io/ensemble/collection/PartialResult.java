package io.ensemble.collection;

import java.util.Optional;

/**
 * The result of a reduction for all entries up to a position, from which another process may
 * continue.
 *
 * @param result empty if no entry so far has a result
 * @param position see {@link EntryCollection#from}
 */
public record PartialResult<R>(Optional<R> result, String position) {}
