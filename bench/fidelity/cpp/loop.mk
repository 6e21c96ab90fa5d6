# Builds the benchmark of what the runner's Makefile builds.
include Makefile

loop: loop.o built.o types/types.o $(CODECS) $(MESSAGES) $(SHARED)
	$(CXX) -o $@ $^ $(LINK) $(shell pkg-config --libs benchmark)
