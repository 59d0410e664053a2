% Solve networks with Octave's queueing package and print the solutions as JSON, one a line.
% Open: M/M/1, M/M/m. Closed: single servers and delays by qncsmva; a multi-server station of few
% servers and clients, where qncsmva has not lost its digits yet.
pkg load queueing
warning("off", "all");
function show(kind, arguments, results)
  printf("%s\n", jsonencode(struct("kind", kind, "arguments", arguments, "results", results)));
end
for row = [0.3 1; 9 10; 2954 3100; 11793 11796]'
  [u, r, q, x, p0] = qsmm1(row(1), row(2));
  show("mm1", struct("arrival_rate", row(1), "service_rate", row(2)), struct("utilization", u, "response_time", r, "num_in_system", q, "probability_of_empty", p0));
end
for row = [9 5 2; 9 5 4; 10500 90 128; 3000 400 8]'
  [u, r, q, x, p0, pm] = qsmmm(row(1), row(2), row(3));
  show("mmm", struct("arrival_rate", row(1), "service_rate", row(2), "num_servers", row(3)), struct("utilization", u, "response_time", r, "num_in_system", q, "probability_of_empty", p0, "probability_of_queueing", pm));
end
function closed(N, S, V, m, Z)
  [u, r, q, x] = qncsmva(N, S, V, m, Z);
  servers = m; servers(m < 1) = 0;  % 0 stands for a delay
  show("closed", struct("num_clients", N, "service_times", {num2cell(S)}, "visit_ratios", {num2cell(V)}, "num_servers", {num2cell(servers)}, "think_time", Z), struct("utilization", {num2cell(u)}, "residence_times", {num2cell(r .* V)}, "num_in_station", {num2cell(q)}, "throughput", x(1) / V(1)));
end
closed(20, [.125 .3 .2], [16 10 5], [1 1 1], 4);        % Jain 1991, p. 577
closed(96, [.00034 .00002 .00025], [1 1 1], [1 1 1], .001);
closed(300, [.0003 .00003 .0011], [1 2 1/3], [1 1 -1], 0);
closed(12, [.010 .002 .005], [1 1 1], [3 1 -1], 0);
closed(10, [.010 .002 .008], [1 2 1], [4 1 2], .05);
closed(8, [1 1 1], [1 1 1], [1 1 1], 0);
% asymptotic and balanced-job bounds
for N = [1 5 50]
  D = [.035 .010 .022]; Z = .3;
  [xl, xu, rl, ru] = qncsaba(N, D, ones(1, 3), ones(1, 3), Z);
  show("asymptotic", struct("num_clients", N, "demands", {num2cell(D)}, "think_time", Z), struct("throughput_lower", xl, "throughput_upper", xu, "response_time_lower", rl, "response_time_upper", ru));
  [xl, xu, rl, ru] = qncsbsb(N, D, ones(1, 3), ones(1, 3), Z);
  show("balanced", struct("num_clients", N, "demands", {num2cell(D)}, "think_time", Z), struct("throughput_lower", xl, "throughput_upper", xu, "response_time_lower", rl, "response_time_upper", ru));
end
% where qncsmva is wrong: two stations of the sizes of the studies
closed(51, [.0100 .0006], [1 1], [16 1], 0);
closed(192, [.0100 .00008], [1 1], [64 1], 0);
