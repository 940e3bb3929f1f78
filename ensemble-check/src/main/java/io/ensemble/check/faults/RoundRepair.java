package io.ensemble.check.faults;

import io.ensemble.FormerStorePolicy;
import io.ensemble.StoreIntactException;
import io.ensemble.check.federation.SiteDescriptor;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Repairs sites at the end of a round. It refills sites that lost their memory, waits until nodes
 * are balanced, and discards a store that refuses permanently, as an operator would have to. The
 * site of such a store is refilled from the others and has lost its memory for a while; that only
 * succeeds while a majority has its own. Used by one thread.
 */
final class RoundRepair {
  private static final Duration LONGEST = Duration.ofMinutes(2);

  /**
   * After this time nodes that all run have found each other, and their state no longer improves.
   */
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  private static final String DEGRADED = "degraded";
  private static final long PAUSE_MILLIS = 100;
  private static final Set<TrialFaultKind> OF_NODES =
      Set.of(
          TrialFaultKind.KILL,
          TrialFaultKind.NODE,
          TrialFaultKind.REPLACE,
          TrialFaultKind.OWNER,
          TrialFaultKind.PAUSE,
          TrialFaultKind.SPLIT);

  /** Refills a site. */
  public interface Refill {
    /**
     * Refills a site.
     *
     * @return the number of copied keys
     * @throws RuntimeException if that is not possible now
     */
    long refill(String site, FormerStorePolicy former);
  }

  /** Records the repairs. */
  interface RepairLog {
    void note(String phase, String kind, int site, String what);
  }

  private final FaultableSites sites;
  private final List<String> names;
  private final Refill refill;
  private final RepairLog log;
  private final Duration patience;
  private final CountDownLatch never = new CountDownLatch(1);

  RoundRepair(FaultableSites sites, Refill refill, RepairLog log) {
    this(sites, refill, log, PATIENCE);
  }

  /**
   * @param patience the time after which a store that refuses is discarded
   */
  RoundRepair(FaultableSites sites, Refill refill, RepairLog log, Duration patience) {
    this.patience = patience;
    this.sites = sites;
    this.names = sites.places().stream().map(SiteDescriptor::name).toList();
    this.refill = refill;
    this.log = log;
  }

  /**
   * Refills the site, if the fault took its memory.
   *
   * @throws IllegalStateException if that was not possible in time
   */
  void repair(PlannedFault fault) throws InterruptedException {
    boolean remember = sites.killedSitesRemember();
    boolean isBalanced = fault.kind().takesMemory(remember, names.size());
    if (isBalanced || fault.kind().losesReplicas(remember)) {
      String site = names.get(fault.site());
      OptionalLong keys = refillWhenPossible(site, FormerStorePolicy.MUST_BE_LOST);
      if (isBalanced || keys.isPresent()) {
        log.note(
            FaultEvent.REFILLED,
            fault.kind().word(),
            fault.site(),
            "%s, %d keys".formatted(fault.words(site), keys.orElse(0)));
      }
    }
  }

  /**
   * Refills the replicas that the site has lost with a restarted node, and waits until all sites
   * are balanced.
   *
   * @return the number of copied keys; empty if there was nothing to refill
   * @throws IllegalStateException if that was not possible in time
   */
  OptionalLong repairRestarted(int site) throws InterruptedException {
    OptionalLong keys = refillWhenPossible(names.get(site), FormerStorePolicy.MUST_BE_LOST);
    awaitBalance(List.of());
    return keys;
  }

  /** The number of copied keys; empty if the site has lost no data, or a client has refilled it. */
  private OptionalLong refillWhenPossible(String site, FormerStorePolicy former)
      throws InterruptedException {
    long begin = System.nanoTime();
    while (true) {
      try {
        return OptionalLong.of(refill.refill(site, former));
      } catch (StoreIntactException filled) {
        return OptionalLong.empty(); // Refilled by a client, or the node had no data of the cache.
      } catch (RuntimeException e) {
        // Clients send no requests to suspected sites for a while, and a majority may be
        // unreachable.
        if (isOver(begin, LONGEST)) {
          throw new IllegalStateException("the site could not be refilled; site=" + site, e);
        }
      }
      pause();
    }
  }

  /**
   * Waits until all sites are balanced, including those that no fault of this round affects.
   *
   * @throws IllegalStateException if a site does not become balanced in time
   */
  void awaitBalance(List<PlannedFault> faults) throws InterruptedException {
    for (int site = 0; site < names.size(); site++) {
      awaitBalance(site);
      for (PlannedFault fault : faults) {
        if (fault.site() == site && OF_NODES.contains(fault.kind())) {
          log.note(FaultEvent.BALANCED, fault.kind().word(), site, fault.words(names.get(site)));
        }
      }
    }
  }

  private void awaitBalance(int site) throws InterruptedException {
    long begin = System.nanoTime();
    long degradedSince = begin;
    while (!sites.isBalanced(site)) {
      if (!sites.isDegraded(site)) {
        degradedSince = System.nanoTime();
      } else if (isOver(degradedSince, patience)) {
        discard(site);
        degradedSince = System.nanoTime();
      }
      if (isOver(begin, LONGEST)) {
        throw new IllegalStateException(
            "the nodes of the site did not rebalance in time; site=%s degraded=%s"
                .formatted(names.get(site), sites.isDegraded(site)));
      }
      pause();
    }
  }

  private void discard(int number) throws InterruptedException {
    String site = names.get(number);
    log.note(FaultEvent.DISCARDED, DEGRADED, number, site + ", its store refused permanently");
    OptionalLong keys = refillWhenPossible(site, FormerStorePolicy.DISCARD);
    log.note(FaultEvent.REFILLED, DEGRADED, number, "%s, %d keys".formatted(site, keys.orElse(0)));
  }

  private void pause() throws InterruptedException {
    never.await(PAUSE_MILLIS, TimeUnit.MILLISECONDS);
  }

  private static boolean isOver(long begin, Duration longest) {
    return System.nanoTime() - begin > longest.toNanos();
  }
}
