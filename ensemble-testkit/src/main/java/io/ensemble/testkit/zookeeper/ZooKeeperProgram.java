package io.ensemble.testkit.zookeeper;

import io.ensemble.testkit.process.child.ChildProgram;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * One ZooKeeper server as a process. It prints a line when it serves, and ends when its standard
 * input does, so that it does not outlive its starter.
 */
final class ZooKeeperProgram {

  static final String SERVING = "serving";

  private ZooKeeperProgram() {}

  /** The arguments are the directory, the port, and settings as {@code name=value}. */
  public static void main(String[] args) {
    ChildProgram.run(() -> serve(args));
  }

  private static void serve(String[] args) throws IOException {
    Map<String, String> settings = new TreeMap<>();
    for (String setting : List.of(args).subList(2, args.length)) {
      int equals = setting.indexOf('=');
      settings.put(setting.substring(0, equals), setting.substring(equals + 1));
    }
    try (ZooKeeperNode node =
        ZooKeeperNode.start(Path.of(args[0]), Integer.parseInt(args[1]), settings)) {
      System.out.println(SERVING);
      System.out.flush();
      while (System.in.read() >= 0) {
        // The input carries no data but its end.
      }
    }
  }
}
