package io.ensemble.testkit.process;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;

/**
 * Completes the replacement of a node's list of caches that a kill has interrupted. Infinispan
 * 16.0.7 writes a temporary file whenever a cache is created or removed, deletes {@code
 * caches.xml}, and renames the temporary file. A node that was killed between the last two steps
 * starts without any cache: its replicas are lost, though their records are on the disk.
 */
final class InterruptedReplacement {

  private static final String TEMPORARY = ".tmp";

  private InterruptedReplacement() {}

  /**
   * Restores missing lists of caches and of templates from the newest temporary file that is
   * complete. Without a complete one there was no list before the kill, because Infinispan deletes
   * the list later; what a loss of power leaves does not show that, and so the files stay. For a
   * node that does not run.
   *
   * @param data the server's data directory; no effect if it does not exist
   * @return the files that were restored
   */
  static List<Path> complete(Path data) throws IOException {
    List<Path> restored = new ArrayList<>();
    if (Files.isDirectory(data)) {
      for (String name : List.of("caches", "templates")) {
        Path list = data.resolve(name + ".xml");
        List<Path> temporary = temporaryFiles(data, name);
        if (!Files.exists(list)) {
          Optional<Path> whole =
              temporary.stream().filter(InterruptedReplacement::isWellFormed).findFirst();
          if (whole.isPresent()) {
            Files.move(whole.get(), list, StandardCopyOption.ATOMIC_MOVE);
            restored.add(list);
          } else {
            continue;
          }
        }
        for (Path one : temporary) {
          Files.deleteIfExists(one);
        }
      }
    }
    return restored;
  }

  /** The newest file first. */
  private static List<Path> temporaryFiles(Path data, String name) throws IOException {
    try (Stream<Path> all = Files.list(data)) {
      return all.filter(file -> isTemporary(file.getFileName().toString(), name))
          .sorted(Comparator.comparingLong((Path file) -> file.toFile().lastModified()).reversed())
          .toList();
    }
  }

  private static boolean isTemporary(String file, String name) {
    return file.startsWith(name) && file.endsWith(TEMPORARY);
  }

  private static boolean isWellFormed(Path file) {
    XMLInputFactory factory = XMLInputFactory.newFactory();
    factory.setProperty(XMLInputFactory.SUPPORT_DTD, false);
    try (InputStream in = Files.newInputStream(file)) {
      XMLStreamReader reader = factory.createXMLStreamReader(in);
      while (reader.hasNext()) {
        int unused = reader.next();
      }
      return true;
    } catch (IOException | XMLStreamException e) {
      return false;
    }
  }
}
