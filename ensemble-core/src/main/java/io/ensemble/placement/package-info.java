/**
 * At which sites a cache shall be, as a pure function of what is wished, what the sites are and
 * hold, and where the other caches are: all processes that see the same decide the same, whatever
 * the order in which they see it, and the decision tells for every site why it was taken or not.
 */
@NullMarked
package io.ensemble.placement;

import org.jspecify.annotations.NullMarked;
