package io.ensemble.testkit.wan;

import java.util.List;
import java.util.Locale;

/**
 * A pair of devices for every pair of hosts, with the kernel's netem at both ends; cuts are drops
 * by nft at the receiver.
 */
final class NetemEmulator implements NetworkEmulator {

  private static final int FEWEST_PACKETS = 1_000;

  private final List<NetworkNamespace> namespaces;

  private NetemEmulator(List<NetworkNamespace> namespaces) {
    this.namespaces = namespaces;
  }

  /** Whether this kernel has netem. */
  static boolean isThere() {
    return SystemCommand.succeeds(
        "unshare", "-n", "tc", "qdisc", "add", "dev", "lo", "root", "netem", "delay", "1ms");
  }

  /** Connects the hosts, given their namespaces. */
  static NetemEmulator join(WanPlan plan, List<NetworkNamespace> namespaces) {
    for (int a = 0; a < namespaces.size(); a++) {
      namespaces.get(a).ip("address", "add", HostAddresses.of(a) + "/32", "dev", "lo");
      for (int b = 0; b < a; b++) {
        SystemCommand.run(
            ("ip link add wan%d netns %s type veth peer name wan%d netns %s"
                    .formatted(b, namespaces.get(a).name(), a, namespaces.get(b).name()))
                .split(" ", -1));
        PathProfile distance = plan.between(plan.hosts().get(a), plan.hosts().get(b));
        configure(namespaces.get(a), a, b, distance);
        configure(namespaces.get(b), b, a, distance);
      }
    }
    return new NetemEmulator(List.copyOf(namespaces));
  }

  /**
   * Sets up one end, at {@code here}. Packets are not merged: netem would lose or delay merged ones
   * by the dozen.
   */
  private static void configure(
      NetworkNamespace namespace, int here, int there, PathProfile distance) {
    String device = "wan" + there;
    namespace.ip("link", "set", device, "mtu", "1500", "gso_max_segs", "1", "up");
    namespace.ip(
        "route",
        "add",
        HostAddresses.of(there) + "/32",
        "dev",
        device,
        "src",
        HostAddresses.of(here));
    if (!distance.isNothing()) {
      SystemCommand.run(
          ("tc -n %s qdisc add dev %s root %s".formatted(namespace.name(), device, netem(distance)))
              .split(" ", -1));
    }
  }

  /** The netem options for a path; packets that are delayed count in netem's limit. */
  static String netem(PathProfile distance) {
    long held = distance.oneWayNanos() / 1_000 * distance.bitsPerSecond() / 8_000_000;
    long packets = (held + OneWayPath.queueBytes(distance)) / PacketBuffer.MTU;
    StringBuilder command =
        new StringBuilder("netem limit ")
            .append(distance.bitsPerSecond() == 0 ? Delayer.MOST_FRAMES : bounded(packets))
            .append(" delay ")
            .append(distance.oneWayNanos() / 1_000)
            .append("us");
    if (distance.loss() > 0) {
      command.append(String.format(Locale.ROOT, " loss %.4f%%", 100 * distance.loss()));
    }
    if (distance.bitsPerSecond() > 0) {
      command.append(" rate ").append(distance.bitsPerSecond()).append("bit");
    }
    return command.toString();
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
    if (!SystemCommand.succeeds(inside(to, "nft list table inet wan"))) {
      nft(to, "add table inet wan");
      nft(to, "add set inet wan silent { type ipv4_addr; }");
      nft(to, "add chain inet wan arriving { type filter hook input priority 0; }");
      nft(to, "add rule inet wan arriving ip saddr @silent drop");
    }
    // Adds the element also before its removal, because an absent element cannot be removed.
    nft(to, "add element inet wan silent { %s }".formatted(HostAddresses.of(from)));
    if (!cut) {
      nft(to, "delete element inet wan silent { %s }".formatted(HostAddresses.of(from)));
    }
  }

  private void nft(int host, String rule) {
    SystemCommand.run(inside(host, "nft " + rule));
  }

  private String[] inside(int host, String words) {
    return namespaces.get(host).command(List.of(words.split(" ", -1))).toArray(String[]::new);
  }

  @Override
  public void close() {
    // The devices are removed with their namespaces.
  }
}
