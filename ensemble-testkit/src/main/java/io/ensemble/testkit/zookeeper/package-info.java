/** A real ZooKeeper server in this JVM, for catalogs of local federations and for tests. */
@NullMarked
package io.ensemble.testkit.zookeeper;

import org.jspecify.annotations.NullMarked;
