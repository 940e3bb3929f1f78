package io.ensemble.testkit.process;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.jar.Attributes;
import java.util.jar.JarFile;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The class path that nodes run on, kept apart from everybody else's.
 *
 * @param directory of the jars
 */
public record ServerLibrary(Path directory) {

  /** The system property that says where it is. */
  public static final String PROPERTY = "ensemble.servers";

  private static final String JAR = "ensemble-site-process.jar";

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

  /**
   * What this build has put there: an earlier one may have left jars of other versions.
   *
   * @throws IllegalStateException if that is not told there
   */
  String classPath() {
    Path own = directory.toAbsolutePath().resolve(JAR);
    try (JarFile jar = new JarFile(own.toFile())) {
      String others = jar.getManifest().getMainAttributes().getValue(Attributes.Name.CLASS_PATH);
      return Stream.concat(
              Stream.of(own), Pattern.compile(" ").splitAsStream(others).map(own::resolveSibling))
          .map(Path::toString)
          .collect(Collectors.joining(File.pathSeparator));
    } catch (IOException e) {
      throw new IllegalStateException("the servers' jars are not there: no " + own + ": " + e, e);
    }
  }
}
