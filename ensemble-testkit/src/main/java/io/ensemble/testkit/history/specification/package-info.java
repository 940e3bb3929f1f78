/**
 * Sequential specifications define how registers, counters, maps, queues and znodes behave when
 * operations run one after another.
 */
@NullMarked
package io.ensemble.testkit.history.specification;

import org.jspecify.annotations.NullMarked;
