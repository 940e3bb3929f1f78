package io.ensemble.simulation;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;

/** The present state of the network between clients and sites. */
final class NetworkConditions {

  private record Link(String client, String site) {}

  private final SplittableRandom random;
  private final Set<Link> requestsCut = new HashSet<>();
  private final Set<Link> repliesCut = new HashSet<>();
  private final Map<String, Integer> slow = new HashMap<>();
  private MessageFaults messageFaults;

  NetworkConditions(MessageFaults messageFaults, SplittableRandom random) {
    this.messageFaults = messageFaults;
    this.random = random;
  }

  MessageFaults chances() {
    return messageFaults;
  }

  void change(MessageFaults other) {
    messageFaults = other;
  }

  void cut(Fault.Cut cut) {
    Link link = new Link(cut.client(), cut.site());
    if (cut.requests()) {
      requestsCut.add(link);
    }
    if (cut.replies()) {
      repliesCut.add(link);
    }
  }

  void heal(Fault.Heal heal) {
    Link link = new Link(heal.client(), heal.site());
    requestsCut.remove(link);
    repliesCut.remove(link);
  }

  void slow(Fault.Slow fault) {
    slow.put(fault.site(), fault.factor());
  }

  boolean cutsRequests(String client, String site) {
    return requestsCut.contains(new Link(client, site));
  }

  boolean cutsReplies(String client, String site) {
    return repliesCut.contains(new Link(client, site));
  }

  int slowness(String site) {
    return slow.getOrDefault(site, 1);
  }

  /** Whether an event of this probability happens now. Draws only if both results are possible. */
  boolean isDrawn(double chance) {
    return chance > 0 && (chance >= 1 || random.nextDouble() < chance);
  }

  /** The delay of a message: the least, and an exponential tail up to the most. */
  long delayNanos(String site) {
    double tail = -Math.log(1 - random.nextDouble()) * messageFaults.mean().toNanos();
    long usual =
        Math.min(messageFaults.most().toNanos(), messageFaults.least().toNanos() + (long) tail);
    return usual * slowness(site);
  }
}
