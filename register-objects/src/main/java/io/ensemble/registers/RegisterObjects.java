package io.ensemble.registers;

import io.ensemble.EnsembleCache;
import io.ensemble.registers.algorithm.RegisterOperations.SetSize;
import io.ensemble.registers.drive.BlockingGuard;
import io.ensemble.registers.drive.ObjectQueue;
import io.ensemble.registers.drive.ResultWait;
import io.ensemble.registers.drive.SetProposal;
import io.ensemble.registers.memory.CacheRegisters;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Opens objects whose registers are entries of one cache. Only {@code get}, {@code getAll} and
 * {@code put} of the cache are used. Thread-safe.
 *
 * <p>A cache in mode MWMR serves any number of processes; in mode SWMR one process at a time may
 * change objects. The entries must not expire, nor be changed otherwise.
 */
public final class RegisterObjects implements AutoCloseable {

  /** The number of participants that an object has at most, unless set otherwise. */
  public static final int USUAL_PARTICIPANTS = 100;

  private final EnsembleCache<String, byte[]> cache;
  private final int maxParticipants;
  private final ContentionManager contention;
  private final BlockingGuard guard;
  private final Map<String, ObjectQueue<?>> queues = new ConcurrentHashMap<>();

  private RegisterObjects(
      EnsembleCache<String, byte[]> cache, int maxParticipants, ContentionManager contention) {
    this.cache = cache;
    this.maxParticipants = maxParticipants;
    this.contention = contention;
    this.guard = new BlockingGuard(() -> cache.getAll(Set.of())); // It makes no request.
  }

  /**
   * Objects in a cache. An operation ends within the deadline of this view of the cache.
   *
   * @throws IllegalArgumentException if the entries of the cache are no atomic registers: its mode
   *     is WEAK, or its writes are acknowledged by the primary alone
   */
  public static RegisterObjects in(EnsembleCache<String, byte[]> cache) {
    return in(cache, USUAL_PARTICIPANTS, ContentionManager.exponential());
  }

  /**
   * As {@link #in(EnsembleCache)}.
   *
   * @param maxParticipants the number of participants that an object has at most: one for each
   *     process that has ever used it, and one more after each operation that ended inside a
   *     consensus without a decision. The same in all processes. Each read of all of them is two
   *     requests for each
   */
  public static RegisterObjects in(
      EnsembleCache<String, byte[]> cache, int maxParticipants, ContentionManager contention) {
    if (maxParticipants < 1) {
      throw new IllegalArgumentException("at least one participant; got " + maxParticipants);
    }
    CacheRegisters.in(cache, ""); // Refuses unsuitable caches now.
    return new RegisterObjects(cache, maxParticipants, contention);
  }

  /**
   * Opens an object, which exists in its initial state from the beginning. Two calls with one name
   * must have the same codec and initial state, in all processes.
   *
   * @param name without a slash
   */
  @SuppressWarnings("unchecked") // The caller gives the same type for the same name.
  public <S> RegisterObject<S> object(String name, ObjectStateCodec<S> codec, S initial) {
    requireName(name);
    return new RegisterObject<>(
        (ObjectQueue<S>)
            queues.computeIfAbsent(
                name,
                absent ->
                    new ObjectQueue<>(
                        name,
                        CacheRegisters.in(cache, "register-object/"),
                        codec,
                        initial,
                        maxParticipants,
                        cache.deadline(),
                        contention)),
        guard);
  }

  /**
   * An instance of (n,k)-set agreement, in which this process may propose one value.
   *
   * @param name without a slash
   * @param processes n, the same in all processes
   * @param values k, at least 1 and less than n, the same in all processes
   */
  public KSetAgreement setAgreement(String name, int processes, int values) {
    return setAgreement(name, processes, values, 1);
  }

  /**
   * As {@link #setAgreement(String, int, int)}, where at most {@code together} processes that take
   * steps at the same time all get a value, with n-k+x registers.
   *
   * @param together x, at least 1 and at most k, the same in all processes
   */
  public KSetAgreement setAgreement(String name, int processes, int values, int together) {
    return new KSetAgreement(
        proposal("set-agreement/", name, new SetSize(processes, values, together)), guard);
  }

  /**
   * A sequence of instances of (n,k)-set agreement. The parameters are those of {@link
   * #setAgreement(String, int, int)}.
   */
  public RepeatedSetAgreement repeatedSetAgreement(String name, int processes, int values) {
    return new RepeatedSetAgreement(
        proposal("repeated-set-agreement/", name, new SetSize(processes, values, 1)), guard);
  }

  private SetProposal proposal(String prefix, String name, SetSize size) {
    requireName(name);
    return new SetProposal(
        name, CacheRegisters.in(cache, prefix), size, cache.deadline(), contention);
  }

  private static void requireName(String name) {
    if (name.isEmpty() || name.indexOf('/') >= 0) {
      throw new IllegalArgumentException("a name is not empty and has no slash; got " + name);
    }
  }

  /**
   * Waits for the operations in progress and returns the indexes that this process has announced,
   * also those of abandoned operations, each within the deadline. Later operations are refused.
   * Indexes of a process that ends otherwise stay in use. The cache remains the caller's.
   *
   * @throws IllegalStateException on a thread of the cache, where this would wait for itself
   */
  @Override
  public void close() {
    guard.refuse();
    List<CompletableFuture<Void>> leaving = new ArrayList<>();
    queues.values().forEach(queue -> leaving.add(queue.leave().toCompletableFuture()));
    ResultWait.toItsEnd(CompletableFuture.allOf(leaving.toArray(CompletableFuture[]::new)));
  }
}
