package io.ensemble.check.workload;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.ensemble.objects.AtomicObjectFactory;
import io.ensemble.tree.SharedTree;
import io.ensemble.tree.TreeException;
import io.ensemble.tree.TreeNode;
import io.ensemble.tree.TreePath;
import io.ensemble.tree.TreeResult;
import io.ensemble.tree.TreeSettings;
import io.ensemble.tree.TreeTransaction;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;

/**
 * A client of a tree. Each transaction that changes something also creates a node of its own, whose
 * number of creation shows later that it was committed, and as which commit.
 */
final class TreeUse implements ObjectUse {

  /** Below it is the node of each transaction. */
  static final String COMMITS = "/commits";

  static final String DATA = "/data";

  /**
   * The argument of a transaction.
   *
   * @param id names the transaction; 0 for one that only reads
   * @param steps what it does, in order
   */
  record TreeSteps(long id, List<List<String>> steps) {}

  /**
   * The result of a transaction.
   *
   * @param base the commit after which it read the tree
   * @param commit its number; the base if it only read
   * @param results what each step returned
   */
  record TreeAnswers(long base, long commit, List<String> results) {}

  /**
   * The tree at the end.
   *
   * @param base the commit after which it was read
   * @param commits the commit of each transaction
   * @param nodes the values of all other nodes
   */
  record TreeAtEnd(long base, Map<String, Long> commits, Map<String, String> nodes) {}

  private static final TreeSettings SMALL =
      TreeSettings.DEFAULT.sizes(1_500, 1_500, 400).retention(Duration.ofSeconds(2));

  private static final int GROUPS = 3;
  private static final int NODES = 3;

  private final SharedTree tree;

  TreeUse(SharedTree tree) {
    this.tree = tree;
  }

  /** Creates the nodes above all others, once: as the second commit of the tree. */
  private static void prepare(SharedTree tree) {
    tree.transact(
        t -> {
          if (!t.exists(COMMITS)) {
            t.create(COMMITS, new byte[0]);
            t.create(DATA, new byte[0]);
          }
          return true;
        });
  }

  @Override
  public ObjectCall next(SplittableRandom random, long fresh) {
    TreeSteps steps = steps(random, fresh);
    return ObjectCall.of("transaction", steps, () -> answered(() -> make(tree, steps)));
  }

  /** Chooses what a transaction does. */
  static TreeSteps steps(SplittableRandom random, long fresh) {
    List<List<String>> steps = new ArrayList<>();
    boolean changes = false;
    int count = 1 + random.nextInt(4);
    for (int i = 0; i < count; i++) {
      String group = DATA + "/g" + random.nextInt(GROUPS);
      String node = group + "/n" + random.nextInt(NODES);
      String value = fresh + "-" + i;
      List<String> step =
          switch (random.nextInt(12)) {
            case 0, 1, 2, 3 -> List.of("read", node);
            case 4 -> List.of("children", group);
            case 5 -> List.of("children", DATA);
            case 6 -> List.of("remove", random.nextInt(3) == 0 ? group : node);
            case 7 -> List.of("write", group, value);
            default -> List.of("write", node, value);
          };
      changes |= step.get(0).equals("write") || step.get(0).equals("remove");
      steps.add(step);
    }
    return new TreeSteps(changes ? fresh : 0, steps);
  }

  /** Makes a transaction. */
  static TreeAnswers make(SharedTree tree, TreeSteps steps) {
    TreeResult<List<String>> result = tree.commit(transaction -> body(transaction, steps));
    return new TreeAnswers(result.base(), result.commit(), result.value());
  }

  /** The body of a transaction. */
  static List<String> body(TreeTransaction transaction, TreeSteps steps) {
    List<String> results = new ArrayList<>();
    for (List<String> step : steps.steps()) {
      results.add(result(transaction, step));
    }
    if (steps.id() != 0) {
      transaction.create(COMMITS + "/" + steps.id(), new byte[0]);
    }
    return results;
  }

  private static String result(TreeTransaction transaction, List<String> step) {
    String path = step.get(1);
    return switch (step.get(0)) {
      case "read" -> transaction.read(path).map(value -> new String(value, UTF_8)).orElse("absent");
      case "children" ->
          transaction.exists(path) ? String.join(" ", transaction.children(path)) : "absent";
      case "remove" -> transaction.remove(path) ? "removed" : "absent";
      default -> {
        transaction.write(path, step.get(2).getBytes(UTF_8));
        yield "written";
      }
    };
  }

  @Override
  public ObjectCall last() {
    return ObjectCall.of("last", null, () -> answered(this::atEnd));
  }

  private TreeAtEnd atEnd() {
    return tree.transact(
        t -> {
          Map<String, Long> commits = new TreeMap<>();
          for (String id : t.children(COMMITS)) {
            commits.put(id, t.node(COMMITS + "/" + id).map(TreeNode::created).orElseThrow());
          }
          Map<String, String> nodes = new TreeMap<>();
          add(t, TreePath.of(DATA), nodes);
          return new TreeAtEnd(t.base(), commits, nodes);
        });
  }

  private static void add(TreeTransaction transaction, TreePath path, Map<String, String> nodes) {
    String text = path.toString();
    nodes.put(text, transaction.read(text).map(value -> new String(value, UTF_8)).orElseThrow());
    transaction.children(text).forEach(name -> add(transaction, path.child(name), nodes));
  }

  private interface Question {
    Object ask();
  }

  private static Object answered(Question question) {
    try {
      return question.ask();
    } catch (TreeException.Unknown unknown) {
      return ObjectCall.MissingAnswer.UNKNOWN;
    } catch (TreeException.NotApplied | TreeException.Conflicts refused) {
      return ObjectCall.MissingAnswer.REFUSED;
    }
  }

  /** Opens a tree whose log and pages are so small that checkpoints are frequent. */
  static SharedTree open(AtomicObjectFactory factory, String name) {
    SharedTree tree = SharedTree.builder(factory, name).settings(SMALL).open();
    prepare(tree);
    return tree;
  }
}
