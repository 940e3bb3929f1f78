package io.ensemble.testkit.wan;

import java.util.List;
import java.util.Locale;

/**
 * A pair of devices for every pair of hosts, with the kernel's netem at both ends; cuts are drops
 * by nft at the receiver.
 */
final class KernelWire implements Wire {

  private static final int FEWEST_PACKETS = 1_000;

  private final List<Namespace> namespaces;

  private KernelWire(List<Namespace> namespaces) {
    this.namespaces = namespaces;
  }

  /** Whether this kernel delays by itself. */
  static boolean isThere() {
    return Tool.succeeds(
        "unshare", "-n", "tc", "qdisc", "add", "dev", "lo", "root", "netem", "delay", "1ms");
  }

  /** Joins the hosts, whose namespaces these are. */
  static KernelWire join(WanPlan plan, List<Namespace> namespaces) {
    for (int a = 0; a < namespaces.size(); a++) {
      namespaces.get(a).ip("address", "add", Addresses.of(a) + "/32", "dev", "lo");
      for (int b = 0; b < a; b++) {
        Tool.run(
            ("ip link add wan%d netns %s type veth peer name wan%d netns %s"
                    .formatted(b, namespaces.get(a).name(), a, namespaces.get(b).name()))
                .split(" ", -1));
        Distance distance = plan.between(plan.hosts().get(a), plan.hosts().get(b));
        end(namespaces.get(a), a, b, distance);
        end(namespaces.get(b), b, a, distance);
      }
    }
    return new KernelWire(List.copyOf(namespaces));
  }

  /** One end, at {@code here}. Packets stay single: netem would lose or delay them by the dozen. */
  private static void end(Namespace namespace, int here, int there, Distance distance) {
    String device = "wan" + there;
    namespace.ip("link", "set", device, "mtu", "1500", "gso_max_segs", "1", "up");
    namespace.ip(
        "route", "add", Addresses.of(there) + "/32", "dev", device, "src", Addresses.of(here));
    if (!distance.isNothing()) {
      Tool.run(
          ("tc -n %s qdisc add dev %s root %s".formatted(namespace.name(), device, netem(distance)))
              .split(" ", -1));
    }
  }

  /** How netem is told of a distance; what it holds for the delay counts in its limit. */
  static String netem(Distance distance) {
    long held = distance.oneWayNanos() / 1_000 * distance.bitsPerSecond() / 8_000_000;
    long packets = (held + Lane.queueBytes(distance)) / Frame.MTU;
    StringBuilder words =
        new StringBuilder("netem limit ")
            .append(distance.bitsPerSecond() == 0 ? Delayer.MOST_FRAMES : bounded(packets))
            .append(" delay ")
            .append(distance.oneWayNanos() / 1_000)
            .append("us");
    if (distance.loss() > 0) {
      words.append(String.format(Locale.ROOT, " loss %.4f%%", 100 * distance.loss()));
    }
    if (distance.bitsPerSecond() > 0) {
      words.append(" rate ").append(distance.bitsPerSecond()).append("bit");
    }
    return words.toString();
  }

  private static long bounded(long packets) {
    return Math.min(Delayer.MOST_FRAMES, Math.max(FEWEST_PACKETS, packets));
  }

  @Override
  public String kind() {
    return "netem";
  }

  @Override
  public synchronized void cut(int from, int to, boolean cut) {
    if (!Tool.succeeds(inside(to, "nft list table inet wan"))) {
      nft(to, "add table inet wan");
      nft(to, "add set inet wan silent { type ipv4_addr; }");
      nft(to, "add chain inet wan arriving { type filter hook input priority 0; }");
      nft(to, "add rule inet wan arriving ip saddr @silent drop");
    }
    // Also before it is taken out: what is not there cannot be.
    nft(to, "add element inet wan silent { %s }".formatted(Addresses.of(from)));
    if (!cut) {
      nft(to, "delete element inet wan silent { %s }".formatted(Addresses.of(from)));
    }
  }

  private void nft(int host, String rule) {
    Tool.run(inside(host, "nft " + rule));
  }

  private String[] inside(int host, String words) {
    return namespaces.get(host).command(List.of(words.split(" ", -1))).toArray(String[]::new);
  }

  @Override
  public void close() {
    // The devices go with their namespaces.
  }
}
