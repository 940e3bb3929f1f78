package io.ensemble.simulation;

import io.ensemble.simulation.Fault.LostState;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;

/** Draws a plan from a seed. */
final class RandomFaultPlan {

  private final SplittableRandom random;
  private final List<String> sites;
  private final List<String> clients;
  private final long nanos;
  private final RandomFaults options;
  private final Set<String> wiped = new LinkedHashSet<>();
  private final Set<String> crashed = new LinkedHashSet<>();
  private SimFaultPlan plan;

  RandomFaultPlan(
      long seed,
      List<String> sites,
      List<String> clients,
      Duration duration,
      RandomFaults options) {
    random = new SplittableRandom(seed);
    this.sites = sites;
    this.clients = clients;
    this.nanos = duration.toNanos();
    this.options = options;
    plan = SimFaultPlan.of(options.chances());
  }

  SimFaultPlan plan() {
    for (int i = 0; i < options.episodes(); i++) {
      addEpisode();
    }
    Duration end = Duration.ofNanos(nanos);
    for (String site : sites) {
      plan = plan.at(end, new Fault.SiteUp(site)).at(end, new Fault.Slow(site, 1));
      for (String client : clients) {
        plan = plan.at(end, new Fault.Heal(client, site));
      }
    }
    return plan.at(end, new Fault.Change(MessageFaults.reliable()));
  }

  private void addEpisode() {
    long start = random.nextLong(nanos);
    Duration from = Duration.ofNanos(start);
    Duration to = Duration.ofNanos(start + random.nextLong(nanos - start) / 2);
    String site = sites.get(random.nextInt(sites.size()));
    String client = clients.get(random.nextInt(clients.size()));
    switch (random.nextInt(8)) {
      case 0 -> plan = plan.cut(client, site, from, to);
      case 1 -> cutOneWay(client, site, from, to);
      case 2 -> isolate(site, from, to);
      case 3 ->
          plan =
              plan.at(from, new Fault.Slow(site, 2 + random.nextInt(30)))
                  .at(to, new Fault.Slow(site, 1));
      case 4 -> plan = plan.down(site, LostState.NOTHING, from, to);
      case 5 -> plan = plan.down(site, LostState.REQUESTS, from, to);
      case 6 -> wipe(site, from, to);
      default -> crash(client, from);
    }
  }

  private void cutOneWay(String client, String site, Duration from, Duration to) {
    boolean requests = random.nextBoolean();
    plan =
        plan.at(from, new Fault.Cut(client, site, requests, !requests))
            .at(to, new Fault.Heal(client, site));
  }

  private void isolate(String site, Duration from, Duration to) {
    for (String client : clients) {
      plan = plan.cut(client, site, from, to);
    }
  }

  /** A site counts as wiped permanently, because this class has no information about refills. */
  private void wipe(String site, Duration from, Duration to) {
    int minority = (sites.size() - 1) / 2;
    if (options.memoryLoss() && (wiped.contains(site) || wiped.size() < minority)) {
      wiped.add(site);
      plan = plan.down(site, LostState.STORES, from, to);
    }
  }

  private void crash(String client, Duration at) {
    int most = Math.min(options.clientCrashes(), clients.size() - 1);
    if (crashed.size() < most && crashed.add(client)) {
      plan = plan.at(at, new Fault.ClientCrash(client));
    }
  }
}
