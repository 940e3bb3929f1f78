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
 * Separates a node from peers, to test a site whose nodes lose contact with each other. JGroups'
 * {@code DISCARD} drops their messages. The membership protocol immediately receives a suspicion of
 * these peers, which failure detection would raise after 40 s. JGroups itself makes the new view,
 * and later the merge.
 */
final class PeerSplit {

  private final JChannel channel;

  PeerSplit(JChannel channel) {
    this.channel = channel;
  }

  /**
   * Drops messages from and to exactly these peers.
   *
   * @param names names of nodes; names that are not in the view are ignored
   */
  void ignore(Set<String> names) {
    List<Address> peers =
        channel.getView().getMembers().stream()
            .filter(member -> names.contains(NameCache.get(member)))
            .toList();
    DISCARD discard = discardProtocol();
    discard.resetIgnoredMembers();
    if (!peers.isEmpty()) {
      discard.addIgnoredMembers(peers.toArray(Address[]::new));
      GMS membership = channel.getProtocolStack().findProtocol(GMS.class);
      membership.up(new Event(Event.SUSPECT, peers));
    }
  }

  private DISCARD discardProtocol() {
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
