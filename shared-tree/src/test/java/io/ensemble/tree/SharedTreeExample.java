package io.ensemble.tree;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.ensemble.objects.AtomicObjectFactory;
import java.util.List;

/** The examples of docs/shared-tree.md, compiled and run as they stand there. */
final class SharedTreeExample {

  private SharedTreeExample() {}

  static List<String> run(AtomicObjectFactory objects) {
    // first:begin
    try (SharedTree tree = SharedTree.open(objects, "guests")) {
      tree.write("/local/domain/0/name", "control".getBytes(UTF_8));

      int guest =
          tree.transact(
              t -> { // runs again if another transaction changed what it has read
                int next = t.children("/local/domain").size();
                t.create("/local/domain/" + next + "/name", "guest".getBytes(UTF_8));
                t.create("/local/domain/" + next + "/device/vbd", new byte[0]);
                return next;
              });

      return tree.children("/local/domain/" + guest); // device, name
    }
    // first:end
  }

  static void users(SharedTree tree, List<TreeEvent> events) {
    // users:begin
    tree.transact(
        t -> {
          t.create("/local/domain/7", new byte[0]);
          t.setPermissions("/local/domain/7", NodePermissions.of("guest-7", NodeAccess.READ));
          return true;
        });
    tree.setQuota("guest-7", 1_000, 1 << 20); // nodes, bytes

    SharedTree guest = tree.as("guest-7");
    try (TreeWatch watch = guest.watch("/local/domain/7", events::add)) {
      guest.write("/local/domain/7/device/vif", new byte[] {1});
    }
    // users:end
  }
}
