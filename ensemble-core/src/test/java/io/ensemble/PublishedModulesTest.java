package io.ensemble;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.PublishedModules.LibraryModule;
import java.io.IOException;
import java.lang.module.ModuleDescriptor;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.w3c.dom.Document;

/** The modules that a release publishes fit together, before any of them is built. */
@Execution(ExecutionMode.CONCURRENT)
class PublishedModulesTest {

  private static final Path ROOT = Path.of("").toAbsolutePath().getParent();

  private static List<LibraryModule> published;

  @BeforeAll
  static void read() throws IOException {
    published = PublishedModules.under(ROOT);
  }

  @Test
  void theBomListsExactlyThePublishedModules() throws IOException {
    assertThat(PublishedModules.bomArtifacts(ROOT))
        .containsExactlyInAnyOrderElementsOf(
            published.stream().map(LibraryModule::artifactId).toList());
  }

  @Test
  void aPublishedModuleDependsOnPublishedModulesOnly() throws IOException {
    Set<String> known =
        published.stream().map(LibraryModule::artifactId).collect(Collectors.toSet());

    assertThat(published)
        .allSatisfy(
            module ->
                assertThat(known)
                    .as("dependencies of " + module.artifactId())
                    .containsAll(module.ensembleDependencies()));
  }

  /** Otherwise {@code ./ensemble} cannot build itself in a fresh clone. */
  @Test
  void aBuildWithoutTestsNeedsNoModuleOfTests() throws IOException {
    List<String> ofTests = PublishedModules.modulesOfTests(ROOT);

    assertThat(ofTests).contains("ensemble-simulation");
    assertThat(PublishedModules.dependenciesOfEveryBuild(ROOT))
        .hasSizeGreaterThan(10)
        .allSatisfy(
            (module, dependencies) ->
                assertThat(dependencies).as(module).doesNotContainAnyElementsOf(ofTests));
  }

  @Test
  void theBomHasTheVersionAndTheAddressOfTheRootPom() throws IOException {
    Document bom = PublishedModules.read(ROOT.resolve("ensemble-bom/pom.xml"));
    Document root = PublishedModules.read(ROOT.resolve("pom.xml"));

    for (String property : List.of("revision", "ensemble.url", "ensemble.staging")) {
      assertThat(PublishedModules.property(bom, property))
          .as(property)
          .isNotEmpty()
          .isEqualTo(PublishedModules.property(root, property));
    }
  }

  @Test
  void aPublishedModuleHasANameADescriptionAndAnApi() throws IOException {
    String page = Files.readString(ROOT.resolve("docs/compatibility.md"));

    assertThat(published)
        .allSatisfy(
            module -> {
              assertThat(module.name()).isPresent();
              assertThat(module.description()).isPresent();
              assertThat(module.api()).isNotEmpty();
              assertThat(module.packagesAndTypes()).containsAll(module.api());
              assertThat(page).contains("`" + module.artifactId() + "`");
              assertThat(module.api())
                  .allSatisfy(name -> assertThat(page).contains("`" + name + "`"));
            });
  }

  @Test
  void noPackageIsInTwoPublishedModules() throws IOException {
    assertThat(published)
        .flatExtracting(LibraryModule::packages)
        .contains("io.ensemble", "io.ensemble.adapter")
        .doesNotHaveDuplicates();
  }

  @Test
  void anAutomaticModuleNameIsValidAndUsedOnce() throws IOException {
    assertThat(published)
        .filteredOn(module -> !module.hasPackagesOfOthers())
        .extracting(module -> module.moduleName().orElse("none: " + module.artifactId()))
        .doesNotHaveDuplicates()
        .allSatisfy(
            name -> assertThat(ModuleDescriptor.newAutomaticModule(name).build()).isNotNull())
        .allSatisfy(name -> assertThat(name).startsWith("io.ensemble."));
  }

  /** ZooFence has classes in a package of ZooKeeper's jar: no module path can hold both. */
  @Test
  void aModuleThatSplitsAPackageOfAnotherProjectHasNoModuleName() throws IOException {
    assertThat(published)
        .filteredOn(LibraryModule::hasPackagesOfOthers)
        .extracting(LibraryModule::artifactId)
        .containsExactly("ensemble-zoofence");
    assertThat(published)
        .filteredOn(LibraryModule::hasPackagesOfOthers)
        .extracting(LibraryModule::moduleName)
        .allMatch(Optional::isEmpty);
  }
}
