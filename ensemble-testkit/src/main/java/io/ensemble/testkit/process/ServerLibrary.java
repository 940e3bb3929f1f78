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
 * The class path of the nodes, separate from the class path of this process.
 *
 * @param directory the directory of the jars
 */
public record ServerLibrary(Path directory) {

  /** The system property with the directory. */
  public static final String PROPERTY = "ensemble.servers";

  /**
   * The system property with the directory of archives of loaded classes; without it, archives are
   * beside the directory of the jars.
   */
  private static final String ARCHIVES = "ensemble.servers.archives";

  private static final String JAR = "ensemble-site-process.jar";

  static final String MAIN = "io.ensemble.process.TetheredServer";

  /**
   * @throws IllegalStateException if the directory does not exist
   */
  public ServerLibrary {
    if (!Files.isDirectory(directory)) {
      throw new IllegalStateException(
          "the jars of the server are missing: no directory "
              + directory
              + "; './ensemble up --processes' or './mvnw -pl site-process package' fetches them");
    }
  }

  /** The library that the property names, else that of a build in the working directory. */
  public static ServerLibrary installed() {
    return new ServerLibrary(Path.of(System.getProperty(PROPERTY, "site-process/target/lib")));
  }

  /**
   * The archive of the loaded classes, which makes the start of nodes shorter; for this JVM and
   * this directory only, because a JVM ignores an archive of jars that are elsewhere.
   */
  Path archive() {
    String archives = System.getProperty(ARCHIVES);
    Path jars = directory.toAbsolutePath().normalize();
    String name =
        "classes-%s-%08x.jsa"
            .formatted(Runtime.version().toString().replace('+', '-'), jars.toString().hashCode());
    return archives == null
        ? jars.resolveSibling(name)
        : Path.of(archives).toAbsolutePath().resolve(name);
  }

  /**
   * Requires that the jars are there.
   *
   * @throws IllegalStateException if one is missing
   */
  public void requireComplete() {
    for (String jar : classPath().split(Pattern.quote(File.pathSeparator), -1)) {
      if (!Files.isRegularFile(Path.of(jar))) {
        throw new IllegalStateException("a jar of the server is missing: " + jar);
      }
    }
  }

  /**
   * The jars of this build: an earlier build may have left jars of other versions.
   *
   * @throws IllegalStateException if the directory does not list them
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
      throw new IllegalStateException(
          "the jars of the server are missing: " + own + " cannot be read: " + e, e);
    }
  }
}
