package io.ensemble.jcache;

import io.ensemble.EnsembleCache;
import io.ensemble.EnsembleException;
import io.ensemble.EntryUpdate;
import io.ensemble.Mode;
import io.ensemble.jcache.CacheStep.Completed;
import io.ensemble.jcache.ExpiryRules.EntryLifespan;
import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import javax.cache.CacheException;
import javax.cache.expiry.ExpiryPolicy;
import org.jspecify.annotations.Nullable;

/**
 * Carries out steps on the entries of an Ensemble cache, with the lifespans of an expiry policy.
 * Failures of the Ensemble cache become the causes of {@link CacheException}s. Thread-safe.
 *
 * @param cache holds keys and values in their stored form
 */
record EntryStore<K, V>(EnsembleCache<Object, Object> cache, StoredForm form, ExpiryPolicy policy) {

  /**
   * How often {@link #carryOutOnce} decides again because another process has changed the entry.
   */
  static final int MOST_ATTEMPTS = 100;

  /** The result of an update that has found another value than its decision was for. */
  private static final Completed<?, ?> CONFLICT =
      new Completed<>(CacheStep.none(null), null, false);

  /** Calls the Ensemble cache. */
  static <T extends @Nullable Object> T called(Supplier<T> call) {
    try {
      return call.get();
    } catch (EnsembleException | IllegalArgumentException | CancellationException e) {
      throw new CacheException(e.getMessage(), e);
    }
  }

  @Nullable Object stored(K key) {
    Object storedKey = form.of(key);
    return called(() -> cache.get(storedKey));
  }

  @Nullable V value(@Nullable Object stored) {
    return stored == null ? null : form.read(stored);
  }

  /**
   * Carries out the step that {@code decision} chooses for the present value, in one atomic update.
   * The decision may be called several times, also on a thread of Ensemble: it has no side effects.
   */
  <R> Completed<V, R> carryOut(K key, Function<@Nullable V, CacheStep<V, R>> decision) {
    ExpiryRules rules = new ExpiryRules(policy);
    return updated(
        key,
        found -> {
          V present = value(found);
          return update(decision.apply(present), found, present, rules);
        });
  }

  /**
   * As {@link #carryOut}, but the decision and {@code before} run on the calling thread and may
   * have side effects. Both are called again if another process has changed the entry since the
   * decision.
   *
   * @param before is called before a step takes effect
   * @throws CacheException if that happened {@value #MOST_ATTEMPTS} times; nothing was written
   */
  <R> Completed<V, R> carryOutOnce(
      K key, Function<@Nullable V, CacheStep<V, R>> decision, Consumer<CacheStep<V, R>> before) {
    ExpiryRules rules = new ExpiryRules(policy);
    for (int attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
      Object seen = stored(key);
      V present = value(seen);
      CacheStep<V, R> step = decision.apply(present);
      before.accept(step);
      EntryUpdate<Object, Completed<V, R>> update = update(step, seen, present, rules);
      Completed<V, R> done =
          update.action() == EntryUpdate.Action.KEEP
              ? update.result()
              : updated(
                  key, found -> form.areSame(found, seen) ? update : EntryUpdate.keep(conflict()));
      if (done != null && done != CONFLICT) {
        return done;
      }
    }
    throw new CacheException(
        "another process has changed the entry %d times between a decision and its write; the last "
                .formatted(MOST_ATTEMPTS)
            + "decision was not written; cache="
            + cache.getName());
  }

  @SuppressWarnings("unchecked") // It has neither a value nor a result.
  private static <V, R> Completed<V, R> conflict() {
    return (Completed<V, R>) CONFLICT;
  }

  private <R> Completed<V, R> updated(
      K key, Function<@Nullable Object, EntryUpdate<Object, Completed<V, R>>> function) {
    Object storedKey = form.of(key);
    Completed<V, R> done = called(() -> cache.<Completed<V, R>>update(storedKey, function));
    if (done == null) {
      throw new AssertionError("an update has the result of its function");
    }
    return done;
  }

  private <R> EntryUpdate<Object, Completed<V, R>> update(
      CacheStep<V, R> step, @Nullable Object found, @Nullable V present, ExpiryRules rules) {
    Completed<V, R> done = new Completed<>(step, present, true);
    return switch (step.kind()) {
      case NONE -> EntryUpdate.keep(done);
      case REMOVE -> EntryUpdate.remove(done);
      case ACCESS -> found == null ? EntryUpdate.keep(done) : touched(found, rules, done);
      case WRITE, LOAD -> {
        EntryLifespan lifespan = present == null ? rules.creation() : rules.update();
        if (!lifespan.isExpired()) {
          yield written(form.of(step.newValue()), lifespan, done);
        }
        // JCache: a new entry that is expired is not added; a present entry expires.
        yield present == null
            ? EntryUpdate.keep(new Completed<>(step, null, false))
            : EntryUpdate.remove(done);
      }
    };
  }

  private <R> EntryUpdate<Object, Completed<V, R>> touched(
      Object found, ExpiryRules rules, Completed<V, R> done) {
    EntryLifespan lifespan = rules.access();
    if (lifespan.lifespan() == null) {
      return EntryUpdate.keep(done);
    }
    checkTouch();
    return lifespan.isExpired() ? EntryUpdate.remove(done) : written(found, lifespan, done);
  }

  private static <R> EntryUpdate<Object, R> written(
      Object value, EntryLifespan lifespan, R result) {
    Duration given = lifespan.lifespan();
    return given == null
        ? EntryUpdate.writeWithPresentExpiry(value, result)
        : EntryUpdate.write(value, given, result);
  }

  /** Gives an entry that was read the expiry of the policy, unless it was changed meanwhile. */
  void touch(Object storedKey, Object seen) {
    if (ExpiryRules.ignoresReads(policy)) {
      return;
    }
    EntryLifespan lifespan = new ExpiryRules(policy).access();
    Duration given = lifespan.lifespan();
    if (given == null) {
      return;
    }
    checkTouch();
    called(
        () ->
            cache.<Boolean>update(
                storedKey,
                found -> {
                  if (found == null || !form.areSame(found, seen)) {
                    return EntryUpdate.keep(false);
                  }
                  return lifespan.isExpired()
                      ? EntryUpdate.remove(true)
                      : EntryUpdate.write(found, given, true);
                }));
  }

  /** A read that writes could replace a value that its site has not received yet. */
  private void checkTouch() {
    if (cache.definition().mode() == Mode.WEAK) {
      throw new UnsupportedOperationException(
          "an expiry policy may not prolong entries on access in mode WEAK, because the read would "
              + "overwrite concurrent writes; cache="
              + cache.getName());
    }
  }
}
