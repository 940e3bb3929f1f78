package io.ensemble;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import javax.xml.xpath.XPathConstants;
import javax.xml.xpath.XPathExpressionException;
import javax.xml.xpath.XPathFactory;
import org.w3c.dom.Document;
import org.w3c.dom.NodeList;
import org.xml.sax.SAXException;

/** What the POMs and sources say about the modules that a release publishes. */
final class PublishedModules {

  private static final String MANAGED = "/project/dependencyManagement/dependencies/dependency";
  private static final String MODULE_NAME =
      "/project/build/plugins/plugin[artifactId='maven-jar-plugin']//Automatic-Module-Name";

  private PublishedModules() {}

  /**
   * One module.
   *
   * @param packages those with classes in {@code src/main/java}
   * @param types the full names of the files there
   * @param api packages whose public types are the public API, and further types
   * @param ensembleDependencies the artifacts of this project that users get with it
   */
  record LibraryModule(
      String artifactId,
      Optional<String> name,
      Optional<String> description,
      Optional<String> moduleName,
      Set<String> packages,
      Set<String> types,
      List<String> api,
      List<String> ensembleDependencies) {

    Set<String> packagesAndTypes() {
      Set<String> all = new TreeSet<>(packages);
      all.addAll(types);
      return all;
    }

    boolean hasPackagesOfOthers() {
      return packages.stream()
          .anyMatch(each -> !each.equals("io.ensemble") && !each.startsWith("io.ensemble."));
    }
  }

  /** The modules of the root POM that a release publishes, without the BOM. */
  static List<LibraryModule> under(Path root) throws IOException {
    List<LibraryModule> modules = new ArrayList<>();
    for (String directory : texts(read(root.resolve("pom.xml")), "//modules/module")) {
      Path pom = root.resolve(directory).resolve("pom.xml");
      Document read = read(pom);
      if (property(read, "ensemble.unpublished").equals("false")) {
        modules.add(module(read, pom.resolveSibling("src/main/java")));
      }
    }
    return modules;
  }

  /**
   * The artifacts of modules that only a build with tests has, which the launcher's build therefore
   * lacks.
   */
  static List<String> modulesOfTests(Path root) throws IOException {
    List<String> artifacts = new ArrayList<>();
    for (String directory :
        texts(
            read(root.resolve("pom.xml")),
            "/project/profiles/profile[id='modules-of-tests']/modules/module")) {
      Document pom = read(root.resolve(directory).resolve("pom.xml"));
      artifacts.add(text(pom, "/project/artifactId").orElseThrow());
    }
    return artifacts;
  }

  /** The dependencies of each module of every build, in any scope, by the module's directory. */
  static Map<String, List<String>> dependenciesOfEveryBuild(Path root) throws IOException {
    Map<String, List<String>> dependencies = new TreeMap<>();
    for (String directory : texts(read(root.resolve("pom.xml")), "/project/modules/module")) {
      Document pom = read(root.resolve(directory).resolve("pom.xml"));
      dependencies.put(directory, texts(pom, "/project/dependencies/dependency/artifactId"));
    }
    return dependencies;
  }

  static List<String> bomArtifacts(Path root) throws IOException {
    return texts(read(root.resolve("ensemble-bom/pom.xml")), MANAGED + "/artifactId");
  }

  /** The value that a POM itself gives to a property, empty if none. */
  static String property(Document pom, String name) throws IOException {
    return text(pom, "/project/properties/" + name).orElse("");
  }

  static Document read(Path pom) throws IOException {
    try {
      return DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(pom.toFile());
    } catch (ParserConfigurationException | SAXException e) {
      throw new IOException("unreadable POM: " + pom, e);
    }
  }

  private static LibraryModule module(Document pom, Path sources) throws IOException {
    return new LibraryModule(
        text(pom, "/project/artifactId").orElseThrow(),
        text(pom, "/project/name"),
        text(pom, "/project/description"),
        text(pom, MODULE_NAME),
        names(sources, Path::getParent),
        names(sources, file -> file),
        List.of(property(pom, "ensemble.api").split(";")),
        texts(
            pom,
            "/project/dependencies/dependency[groupId='io.ensemble' and not(scope='test')]"
                + "/artifactId"));
  }

  private static Set<String> names(Path sources, UnaryOperator<Path> part) throws IOException {
    try (Stream<Path> files = Files.walk(sources)) {
      return files
          .filter(file -> file.toString().endsWith(".java"))
          .map(file -> sources.relativize(part.apply(file)).toString())
          .map(name -> name.replaceFirst("\\.java$", "").replaceAll("[/\\\\]", "."))
          .collect(Collectors.toCollection(TreeSet::new));
    }
  }

  private static Optional<String> text(Document pom, String path) throws IOException {
    return texts(pom, path).stream().findFirst();
  }

  private static List<String> texts(Document pom, String path) throws IOException {
    try {
      NodeList found =
          (NodeList)
              XPathFactory.newInstance().newXPath().evaluate(path, pom, XPathConstants.NODESET);
      List<String> texts = new ArrayList<>();
      for (int i = 0; i < found.getLength(); i++) {
        texts.add(found.item(i).getTextContent().strip());
      }
      return texts;
    } catch (XPathExpressionException e) {
      throw new IOException("no such path: " + path, e);
    }
  }
}
