package io.ensemble.objects.course;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.ensemble.objects.root.Batch;
import io.ensemble.objects.root.Body;
import io.ensemble.objects.root.Bytes;
import io.ensemble.objects.root.Root;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;

/** The store between a world's sessions, and what events there are of it. */
final class Shelf {

  final Map<UUID, Batch> mailboxes = new TreeMap<>();
  final Map<UUID, Bytes> snapshots = new TreeMap<>();

  /** The state by the last root. */
  String text = "";

  private final Appending machine;
  private final World.Bug bug;
  private Root root = Root.first("text", World.BIRTH, Bytes.of("".getBytes(UTF_8)));
  private long version = 1;
  private Root before;
  private Root phantom;
  private Batch lastPosted;

  Shelf(Appending machine, World.Bug bug) {
    this.machine = machine;
    this.bug = bug;
  }

  /** Which events may come: true ones, late ones, and those of what never came to be. */
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

  List<Effect> tell(String event, Course course, long now) {
    return switch (event) {
      case "told" -> course.told(root, version, now);
      case "old" -> course.told(before, version - 1, now);
      case "phantom" -> course.told(phantom, -1L, now);
      case "mail" -> course.mail(lastPosted, now);
      default -> course.hint(now);
    };
  }

  /** A request that an event told of, and that was undone before anybody could see it. */
  void undone(Request request) {
    if (request instanceof Request.Swap swap) {
      phantom = swap.next();
    }
  }

  /** Does what is asked. */
  Answer carryOut(Request request) {
    if (request instanceof Request.Look look) {
      List<Batch> posted =
          look.mailboxes().stream().filter(mailboxes::containsKey).map(mailboxes::get).toList();
      return new Answer.Looked(root, version, posted);
    }
    if (request instanceof Request.Swap swap) {
      boolean blind = bug == World.Bug.TWO_COMBINERS && swap.next().combiner() != null;
      if (!swap.token().equals(version) && !blind) {
        undone(swap);
        return new Answer.Swapped(false, null);
      }
      before = root;
      root = swap.next();
      version++;
      moved();
      return new Answer.Swapped(true, null);
    }
    if (request instanceof Request.Post post) {
      mailboxes.put(post.batch().session(), post.batch());
      lastPosted = post.batch();
      return new Answer.Done();
    }
    if (request instanceof Request.Save save) {
      Bytes before = snapshots.put(save.snapshot(), save.state());
      if (before != null && !before.equals(save.state())) {
        throw new World.Violation("a snapshot was written twice, differently");
      }
      return new Answer.Done();
    }
    return new Answer.Fetched(snapshots.get(((Request.Fetch) request).snapshot()));
  }

  /** What anybody who comes now would read must continue what was. */
  private void moved() {
    if (root.body() instanceof Body.Stored stored && !snapshots.containsKey(stored.snapshot())) {
      throw new World.Violation("the root refers to a snapshot that is not stored");
    }
    Replica newcomer = new Replica(machine, Set.of(Rule.values()));
    Bytes snapshot =
        root.body() instanceof Body.Stored stored ? snapshots.get(stored.snapshot()) : null;
    newcomer.bring(root, snapshot);
    String now = newcomer.state().toString();
    if (!now.startsWith(text)) {
      throw new World.Violation("the state went from '" + text + "' to '" + now + "'");
    }
    text = now;
  }

  String digest() {
    return root + "," + version + mailboxes + snapshots + before + phantom + lastPosted;
  }
}
