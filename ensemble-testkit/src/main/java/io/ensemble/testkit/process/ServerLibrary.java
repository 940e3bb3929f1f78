package io.ensemble.testkit.process;

import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The class path that nodes run on, kept apart from everybody else's.
 *
 * @param directory of the jars
 */
public record ServerLibrary(Path directory) {

  /** The system property that says where it is. */
  public static final String PROPERTY = "ensemble.servers";

  static final String MAIN = "io.ensemble.process.TetheredServer";

  /**
   * @throws IllegalStateException if it is not there
   */
  public ServerLibrary {
    if (!Files.isDirectory(directory)) {
      throw new IllegalStateException(
          "the servers' jars are not there: no directory "
              + directory
              + "; './ensemble up --processes' or './mvnw -pl site-process package' fetches them");
    }
  }

  /** The one that the property names, else that of a build in the working directory. */
  public static ServerLibrary installed() {
    return new ServerLibrary(Path.of(System.getProperty(PROPERTY, "site-process/target/lib")));
  }

  /**
   * Where the classes stand as the JVM keeps them once loaded, which spares nodes most of their
   * start; for this JVM only.
   */
  Path archive() {
    return directory
        .toAbsolutePath()
        .resolveSibling("classes-" + Runtime.version().toString().replace('+', '-') + ".jsa");
  }

  String classPath() {
    return directory.toAbsolutePath().resolve("*").toString();
  }
}
