package io.ensemble.process;

import java.util.List;
import java.util.Set;
import org.jgroups.Address;
import org.jgroups.Event;
import org.jgroups.JChannel;
import org.jgroups.protocols.DISCARD;
import org.jgroups.protocols.TP;
import org.jgroups.protocols.pbcast.GMS;
import org.jgroups.stack.ProtocolStack;
import org.jgroups.util.NameCache;

/**
 * Parts a node from peers, for trials of a site whose nodes lose sight of each other: their
 * messages are dropped (JGroups' {@code DISCARD}), and membership is told at once that they are
 * suspected, as failure detection would after 40 s. The new view, and the merge afterwards, are
 * JGroups' own.
 */
final class PeerSplit {

  private final JChannel channel;

  PeerSplit(JChannel channel) {
    this.channel = channel;
  }

  /**
   * Drops messages from and to these peers, and those only.
   *
   * @param names of nodes; those that are not in the view are left out
   */
  void ignore(Set<String> names) {
    List<Address> peers =
        channel.getView().getMembers().stream()
            .filter(member -> names.contains(NameCache.get(member)))
            .toList();
    DISCARD discard = discard();
    discard.resetIgnoredMembers();
    if (!peers.isEmpty()) {
      discard.addIgnoredMembers(peers.toArray(Address[]::new));
      GMS membership = channel.getProtocolStack().findProtocol(GMS.class);
      membership.up(new Event(Event.SUSPECT, peers));
    }
  }

  private DISCARD discard() {
    ProtocolStack stack = channel.getProtocolStack();
    DISCARD there = stack.findProtocol(DISCARD.class);
    if (there != null) {
      return there;
    }
    DISCARD discard = new DISCARD().setAddress(channel.getAddress());
    try {
      stack.insertProtocol(discard, ProtocolStack.Position.ABOVE, TP.class);
    } catch (Exception e) {
      throw new IllegalStateException("the stack takes no DISCARD; node=" + channel.getName(), e);
    }
    return discard;
  }
}
