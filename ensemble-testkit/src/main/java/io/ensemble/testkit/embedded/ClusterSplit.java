package io.ensemble.testkit.embedded;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jgroups.Address;
import org.jgroups.Event;
import org.jgroups.JChannel;
import org.jgroups.View;
import org.jgroups.protocols.DISCARD;
import org.jgroups.protocols.TP;
import org.jgroups.protocols.pbcast.GMS;
import org.jgroups.stack.ProtocolStack;

/**
 * Splits the members of a cluster in this JVM into groups, and lets the groups find each other
 * again. Members of other groups drop each other's messages (JGroups' {@code DISCARD}). This class
 * informs the members which peers are left, and when the peers are back. Members cannot detect that
 * themselves: failure detection would take 40 s, and {@code LOCAL_PING} never reports a member that
 * was lost. JGroups itself does the merge.
 */
final class ClusterSplit {
  private static final Duration LONGEST_MERGE = Duration.ofMinutes(1);
  private static final long LONGEST_TRY_MILLIS = 3_000;
  private static final long LOOK_MILLIS = 20;

  private ClusterSplit() {}

  /** Separates the groups, which together hold all members. */
  static void begin(List<List<ClusterMember>> groups) {
    List<List<JChannel>> parts = groups.stream().map(ClusterSplit::channels).toList();
    Set<Address> all = new HashSet<>();
    parts.forEach(part -> all.addAll(addresses(part)));
    for (List<JChannel> part : parts) {
      Set<Address> others = new HashSet<>(all);
      others.removeAll(addresses(part));
      part.forEach(
          channel -> discarding(channel).addIgnoredMembers(others.toArray(Address[]::new)));
    }
    for (List<JChannel> part : parts) {
      install(part);
    }
  }

  private static void install(List<JChannel> part) {
    long last = part.stream().mapToLong(one -> one.getView().getViewId().getId()).max().orElse(0);
    List<Address> members = addresses(part);
    View view = View.create(members.get(0), last + 1, members);
    part.forEach(channel -> membership(channel).installView(view));
  }

  /**
   * Delivers all messages again and merges the groups.
   *
   * @throws IllegalStateException if the members do not find each other in time
   */
  static void end(List<ClusterMember> members) {
    List<JChannel> channels = channels(members);
    channels.forEach(channel -> discarding(channel).resetIgnoredMembers());
    long begin = System.nanoTime();
    while (!haveOneView(channels)) {
      merge(channels);
      await(channels);
      if (System.nanoTime() - begin > LONGEST_MERGE.toNanos()) {
        throw new IllegalStateException(
            "the nodes did not merge again; views="
                + channels.stream().map(JChannel::getView).toList());
      }
    }
  }

  /**
   * Whether the coordinator of each member is one of {@code members}. Stopped members are ignored.
   */
  static boolean haveCoordinators(List<ClusterMember> members) {
    List<JChannel> channels = channels(members);
    List<Address> addresses = addresses(channels);
    return channels.stream().allMatch(channel -> addresses.contains(channel.getView().getCoord()));
  }

  /** The number of members that {@code member} reaches, itself included. */
  static int reached(ClusterMember member) {
    JChannel channel = member.channel();
    return channel == null ? 0 : channel.getView().size();
  }

  /**
   * Sends each channel the views of the others, as {@code MERGE3} does; one member leads the merge.
   */
  private static void merge(List<JChannel> channels) {
    Map<Address, View> views = new HashMap<>();
    channels.forEach(channel -> views.put(channel.getAddress(), channel.getView()));
    channels.forEach(
        channel -> membership(channel).up(new Event(Event.MERGE, new HashMap<>(views))));
  }

  private static void await(List<JChannel> channels) {
    CountDownLatch never = new CountDownLatch(1);
    long begin = System.nanoTime();
    try {
      while (!haveOneView(channels)
          && System.nanoTime() - begin < TimeUnit.MILLISECONDS.toNanos(LONGEST_TRY_MILLIS)) {
        boolean unused = never.await(LOOK_MILLIS, TimeUnit.MILLISECONDS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while waiting for a merge of nodes", e);
    }
  }

  private static boolean haveOneView(List<JChannel> channels) {
    Set<Address> all = new HashSet<>(addresses(channels));
    return channels.stream()
        .allMatch(channel -> new HashSet<>(channel.getView().getMembers()).equals(all));
  }

  /** The channels of the members that run. */
  static List<JChannel> channels(List<ClusterMember> members) {
    List<JChannel> channels = new ArrayList<>();
    for (ClusterMember member : members) {
      JChannel channel = member.channel();
      if (channel != null && channel.isConnected()) {
        channels.add(channel);
      }
    }
    return channels;
  }

  private static List<Address> addresses(List<JChannel> channels) {
    return channels.stream().map(JChannel::getAddress).toList();
  }

  private static GMS membership(JChannel channel) {
    return channel.getProtocolStack().findProtocol(GMS.class);
  }

  /** The protocol in the stack of {@code channel} that drops messages. At first it drops none. */
  private static DISCARD discarding(JChannel channel) {
    ProtocolStack stack = channel.getProtocolStack();
    DISCARD there = stack.findProtocol(DISCARD.class);
    if (there != null) {
      return there;
    }
    DISCARD discard = new DISCARD().setAddress(channel.getAddress());
    try {
      stack.insertProtocol(discard, ProtocolStack.Position.ABOVE, TP.class);
    } catch (Exception e) {
      throw new IllegalStateException(
          "the JGroups stack does not accept DISCARD; node=" + channel.getName(), e);
    }
    return discard;
  }
}
