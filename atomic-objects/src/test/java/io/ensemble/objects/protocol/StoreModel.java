package io.ensemble.objects.protocol;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.ensemble.objects.record.ByteString;
import io.ensemble.objects.record.CallBatch;
import io.ensemble.objects.record.ObjectRoot;
import io.ensemble.objects.record.StateLocation;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;

/** The store of a world's sessions, and its events. */
final class StoreModel {

  final Map<UUID, CallBatch> mailboxes = new TreeMap<>();
  final Map<UUID, ByteString> snapshots = new TreeMap<>();

  /** The state in the current root. */
  String text = "";

  private final AppendStateMachine machine;
  private final SessionWorld.Bug bug;
  private ObjectRoot root =
      ObjectRoot.first("text", SessionWorld.BIRTH, ByteString.of("".getBytes(UTF_8)));
  private long version = 1;
  private ObjectRoot before;
  private ObjectRoot phantom;
  private CallBatch lastPosted;

  /** The last step that was shown and lost, until another step takes its place; and its session. */
  private ObjectRoot lost;

  private UUID lostBy;
  private long losses;

  StoreModel(AppendStateMachine machine, SessionWorld.Bug bug) {
    this.machine = machine;
    this.bug = bug;
  }

  /** The possible events: current ones, late ones, and those of roots that were never written. */
  List<String> events() {
    List<String> events = new ArrayList<>(List.of("hint", "told"));
    if (before != null) {
      events.add("old");
    }
    if (phantom != null) {
      events.add("phantom");
    }
    if (lastPosted != null) {
      events.add("mail");
    }
    return events;
  }

  List<ProtocolEffect> tell(String event, SessionProtocol sessionProtocol, long now) {
    return switch (event) {
      case "told" -> sessionProtocol.told(root, version, now);
      case "old" -> sessionProtocol.told(before, version - 1, now);
      case "phantom" -> sessionProtocol.told(phantom, -1L, now);
      case "mail" -> sessionProtocol.mail(lastPosted, now);
      default -> sessionProtocol.hint(now);
    };
  }

  /** Records a request with an event, although it was undone before any session could read it. */
  void undone(StoreRequest request) {
    if (request instanceof StoreRequest.Swap swap) {
      phantom = swap.next();
    }
  }

  /**
   * Whether the step of a swap can be shown to other sessions and then lost: it is the next one,
   * and contains only calls of its own session, whose outcomes no other session awaits.
   */
  boolean canShowAndLose(StoreRequest request, UUID session) {
    return request instanceof StoreRequest.Swap swap
        && swap.token().equals(version)
        && swap.next().members().stream()
            .allMatch(m -> m.session().equals(session) || m.sequence() < swap.next().sequence());
  }

  void showAndLose(StoreRequest.Swap swap, UUID session) {
    lost = swap.next();
    lostBy = session;
    losses++;
  }

  /** Whether a read of this session may still return the lost step. */
  boolean showsLost(UUID session) {
    return lost != null && !session.equals(lostBy);
  }

  StoreResponse lost() {
    return new StoreResponse.Looked(lost, -1 - losses, List.of());
  }

  /** Whether a swap will fail, so that a store may report the root that it finds. */
  boolean isOutdated(StoreRequest.Swap swap) {
    return !swap.token().equals(version);
  }

  /** Carries out a swap, and reports the root after it as one that was found instead. */
  StoreResponse found(StoreRequest.Swap swap) {
    carryOut(swap);
    return new StoreResponse.Swapped(
        false, null, new StoreResponse.Looked(root, version, List.of()));
  }

  /** Carries out a request. */
  StoreResponse carryOut(StoreRequest request) {
    if (request instanceof StoreRequest.Look look) {
      List<CallBatch> posted =
          look.mailboxes().stream().filter(mailboxes::containsKey).map(mailboxes::get).toList();
      return new StoreResponse.Looked(root, version, posted);
    }
    if (request instanceof StoreRequest.Swap swap) {
      boolean blind = bug == SessionWorld.Bug.TWO_COMBINERS && swap.next().combiner() != null;
      if (!swap.token().equals(version) && !blind) {
        undone(swap);
        return new StoreResponse.Swapped(false, null);
      }
      before = root;
      root = swap.next();
      lost = null;
      version++;
      moved();
      return new StoreResponse.Swapped(true, null);
    }
    if (request instanceof StoreRequest.Post post) {
      mailboxes.put(post.mailbox(), post.batch());
      lastPosted = post.batch();
      return new StoreResponse.Done();
    }
    if (request instanceof StoreRequest.Save save) {
      ByteString before = snapshots.put(save.snapshot(), save.state());
      if (before != null && !before.equals(save.state())) {
        throw new SessionWorld.Violation("a snapshot was written twice, differently");
      }
      return new StoreResponse.Done();
    }
    return new StoreResponse.Fetched(snapshots.get(((StoreRequest.Fetch) request).snapshot()));
  }

  /** The state that a new session would read must continue the former state. */
  private void moved() {
    if (root.body() instanceof StateLocation.Stored stored
        && !snapshots.containsKey(stored.snapshot())) {
      throw new SessionWorld.Violation("the root refers to a snapshot that is not stored");
    }
    ObjectReplica newcomer = new ObjectReplica(machine, Set.of(SafetyRule.values()));
    ByteString snapshot =
        root.body() instanceof StateLocation.Stored stored
            ? snapshots.get(stored.snapshot())
            : null;
    newcomer.bring(root, snapshot);
    String now = newcomer.state().toString();
    if (!now.startsWith(text)) {
      throw new SessionWorld.Violation("the state went from '" + text + "' to '" + now + "'");
    }
    text = now;
  }

  String digest() {
    return root
        + ","
        + version
        + mailboxes
        + snapshots
        + before
        + phantom
        + lastPosted
        + lost
        + lostBy;
  }
}
