plugins {
  application
}

// Both can be set: gradle run -Pensemble.version=0.1.0 --args="zk://host:port/path"
val ensembleVersion = providers.gradleProperty("ensemble.version").getOrElse("0.1.0")
val ensembleRepository =
    providers.gradleProperty("ensemble.repository").getOrElse("../../target/staging")

repositories {
  mavenCentral()
  // Where a release is staged, until one is published.
  maven { url = uri(ensembleRepository) }
}

dependencies {
  implementation(platform("io.ensemble:ensemble-bom:$ensembleVersion"))
  implementation("io.ensemble:ensemble-core")
  runtimeOnly("org.slf4j:slf4j-jdk14:2.0.17")
}

tasks.withType<JavaCompile>().configureEach {
  options.release = 17
}

application {
  mainClass = "com.example.stock.StockExample"
}
