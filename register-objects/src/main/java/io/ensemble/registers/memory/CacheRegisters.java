package io.ensemble.registers.memory;

import io.ensemble.Acknowledgement;
import io.ensemble.AsyncEnsembleCache;
import io.ensemble.CacheDefinition;
import io.ensemble.DistributedEnsembleCache;
import io.ensemble.EnsembleCache;
import io.ensemble.Mode;
import io.ensemble.WriteOutcome;
import io.ensemble.registers.algorithm.RegisterCell;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * The entries of a cache as registers. Only {@code get}, {@code getAll} and {@code put} are used.
 */
public final class CacheRegisters implements RegisterMemory {

  private final AsyncEnsembleCache<String, byte[]> cache;
  private final String prefix;

  private CacheRegisters(AsyncEnsembleCache<String, byte[]> cache, String prefix) {
    this.cache = cache;
    this.prefix = prefix;
  }

  /**
   * @param prefix of the keys of all registers
   * @throws IllegalArgumentException if the cache's entries are no atomic registers, or do not last
   */
  public static CacheRegisters in(EnsembleCache<String, byte[]> cache, String prefix) {
    obstacle(cache)
        .ifPresent(
            why -> {
              throw new IllegalArgumentException(
                  "the entries of the cache are no atomic registers: %s; cache=%s"
                      .formatted(why, cache.getName()));
            });
    return new CacheRegisters(cache.async(), prefix);
  }

  private static Optional<String> obstacle(EnsembleCache<String, byte[]> cache) {
    CacheDefinition definition = cache.definition();
    if (cache instanceof DistributedEnsembleCache<?, ?> distributed
        && distributed.distribution().frontier()) {
      return Optional.of("reads do not find the keys of other sites (frontier)");
    }
    if (definition.mode() == Mode.WEAK) {
      return Optional.of("mode is WEAK; use MWMR, or SWMR with one writing process");
    }
    return definition.acknowledgement() == Acknowledgement.PRIMARY
        ? Optional.of("writes are acknowledged by the primary alone, and may be lost")
        : Optional.empty();
  }

  @Override
  public CompletionStage<@Nullable RegisterCell> read(String register) {
    return cache
        .get(prefix + register)
        .thenApply(found -> found.map(RegisterCellCodec::decode).orElse(null));
  }

  @Override
  public CompletionStage<Map<String, RegisterCell>> readAll(Collection<String> registers) {
    LinkedHashSet<String> keys = new LinkedHashSet<>();
    registers.forEach(register -> keys.add(prefix + register));
    return cache
        .getAll(keys)
        .thenApply(
            found -> {
              Map<String, RegisterCell> cells = new TreeMap<>();
              found.forEach(
                  (key, bytes) ->
                      cells.put(key.substring(prefix.length()), RegisterCellCodec.decode(bytes)));
              return cells;
            });
  }

  @Override
  public CompletionStage<Written> write(String register, RegisterCell cell) {
    return cache
        .put(prefix + register, RegisterCellCodec.encode(cell))
        .thenApply(
            outcome ->
                outcome instanceof WriteOutcome.Applied<?>
                    ? Written.DONE
                    : outcome instanceof WriteOutcome.Refused<?>
                        ? Written.REFUSED
                        : Written.UNKNOWN);
  }
}
