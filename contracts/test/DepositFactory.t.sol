// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {DepositFactory} from "../src/DepositFactory.sol";
import {IDepositFactory} from "../src/IDepositFactory.sol";
import {Deposit, LastingDepositFactory} from "../src/LastingDepositFactory.sol";
import {MoodyTreasury, SickToken} from "./Sick.sol";
import {Cheats, Test} from "./Test.sol";
import {BlockingToken, SilentToken, TaxedToken, TestToken} from "./local/TestToken.sol";

/// @dev What both factories guarantee.
abstract contract DepositFactoryTest is Test {
    struct Report {
        bool isSwept;
        address treasury;
        bytes32 salt;
        address token;
        address deposit;
        uint256 amount;
    }

    bytes32 internal constant SALT = keccak256("invoice 1");
    bytes32 internal constant OTHER_SALT = keccak256("invoice 2");
    address internal immutable treasury = account(1);
    address internal immutable caller = account(2);

    IDepositFactory internal factory;
    TestToken internal token;
    SickToken internal sick;
    MoodyTreasury internal moody;

    function setUp() public virtual {
        factory = createFactory();
        token = new TestToken("Dollar", "USD", 6);
        sick = new SickToken();
        moody = new MoodyTreasury();
        // So that gas measurements do not include the creation of accounts.
        vm.deal(treasury, 1 ether);
        token.mint(treasury, 1);
    }

    function createFactory() internal virtual returns (IDepositFactory);
    function kind() internal pure virtual returns (string memory);

    function sweepAndRead(address treasury_, bytes32[] memory salts, address[] memory tokens)
        internal
        returns (Report[] memory reports)
    {
        vm.recordLogs();
        vm.prank(caller);
        factory.sweep(treasury_, salts, tokens);
        return read();
    }

    function read() internal returns (Report[] memory reports) {
        Cheats.Log[] memory logs = vm.getRecordedLogs();
        reports = new Report[](logs.length);
        uint256 count;
        for (uint256 i; i < logs.length; ++i) {
            Cheats.Log memory log = logs[i];
            bool isSwept = log.topics[0] == IDepositFactory.Swept.selector;
            if (log.emitter != address(factory)) continue;
            vm.assertTrue(isSwept || log.topics[0] == IDepositFactory.SweepFailed.selector, "an unknown event");
            (address deposit, uint256 amount) = abi.decode(log.data, (address, uint256));
            address treasury_ = address(uint160(uint256(log.topics[1])));
            reports[count++] =
                Report(isSwept, treasury_, log.topics[2], address(uint160(uint256(log.topics[3]))), deposit, amount);
        }
        assembly {
            mstore(reports, count)
        }
    }

    function expectSwept(Report memory reports, bytes32 salt, address token_, uint256 amount) internal view {
        vm.assertTrue(reports.isSwept, "reported as failed");
        expectReport(reports, salt, token_, amount);
    }

    function expectFailed(Report memory reports, bytes32 salt, address token_, uint256 amount) internal view {
        vm.assertTrue(!reports.isSwept, "reported as swept");
        expectReport(reports, salt, token_, amount);
    }

    function expectReport(Report memory reports, bytes32 salt, address token_, uint256 amount) private view {
        vm.assertEq(uint256(reports.salt), uint256(salt), "salt");
        vm.assertEq(reports.token, token_, "token");
        vm.assertEq(reports.amount, amount, "amount");
        vm.assertEq(reports.deposit, factory.addressOf(reports.treasury, salt), "deposit");
    }

    function payBoth(address treasury_, bytes32 salt, uint256 amount) internal returns (address deposit) {
        deposit = factory.addressOf(treasury_, salt);
        vm.deal(deposit, deposit.balance + amount);
        token.mint(deposit, amount);
    }

    function manySalts(uint256 count) internal pure returns (bytes32[] memory salts) {
        salts = new bytes32[](count);
        for (uint256 i; i < count; ++i) {
            salts[i] = bytes32(i + 1);
        }
    }

    // Where money goes

    function test_a_sweep_moves_coin_and_tokens_to_the_treasury_and_reports_each_to_the_unit() public {
        address deposit = payBoth(treasury, SALT, 777);
        Report[] memory reports = sweepAndRead(treasury, listOf(SALT), listOf(address(token)));
        vm.assertEq(treasury.balance, 1 ether + 777, "coin of the treasury");
        vm.assertEq(token.balanceOf(treasury), 1 + 777, "tokens of the treasury");
        vm.assertEq(deposit.balance + token.balanceOf(deposit), 0, "left behind");
        vm.assertEq(reports.length, 2, "events");
        expectSwept(reports[0], SALT, address(token), 777);
        expectSwept(reports[1], SALT, address(0), 777);
        vm.assertEq(reports[0].treasury, treasury, "treasury");
    }

    function testFuzz_any_amount_at_any_address_arrives(address treasury_, bytes32 salt, uint96 coin, uint256 amount)
        public
    {
        // Precompiled contracts and forge's own contracts behave differently.
        vm.assume(uint160(treasury_) > 1 << 96 && treasury_.code.length == 0);
        amount = bound(amount, 0, type(uint256).max - 1);
        uint256 had = treasury_.balance;
        uint256 hadTokens = token.balanceOf(treasury_);
        address deposit = factory.addressOf(treasury_, salt);
        vm.deal(deposit, coin);
        token.mint(deposit, amount);
        Report[] memory reports = sweepAndRead(treasury_, listOf(salt), listOf(address(token)));
        vm.assertEq(treasury_.balance - had, coin, "coin");
        vm.assertEq(token.balanceOf(treasury_) - hadTokens, amount, "tokens");
        vm.assertEq(reports.length, (coin > 0 ? 1 : 0) + (amount > 0 ? 1 : 0), "no event without an amount");
    }

    function testFuzz_a_stolen_relayer_key_cannot_move_a_deposit_anywhere_but_the_treasury(address thief, bytes32 salt)
        public
    {
        vm.assume(uint160(thief) > 1 << 96 && thief.code.length == 0 && thief != treasury);
        uint256 had = thief.balance;
        address deposit = payBoth(treasury, SALT, 1_000);
        bytes32[] memory salts = new bytes32[](2);
        (salts[0], salts[1]) = (SALT, salt);
        vm.prank(thief);
        factory.sweep(thief, salts, listOf(address(token)));
        vm.assertEq(deposit.balance, 1_000, "the coin stays until its treasury is given");
        vm.assertEq(token.balanceOf(deposit), 1_000, "the tokens stay until their treasury is given");
        vm.prank(thief);
        factory.sweep(treasury, listOf(SALT), listOf(address(token)));
        vm.assertEq(treasury.balance, 1 ether + 1_000, "coin of the treasury");
        vm.assertEq(token.balanceOf(treasury), 1 + 1_000, "tokens of the treasury");
        vm.assertEq(thief.balance - had + token.balanceOf(thief), 0, "the thief has nothing");
    }

    function testFuzz_treasury_and_salt_are_both_bound_to_the_address(
        address treasury_,
        bytes32 salt,
        address otherTreasury,
        bytes32 otherSalt
    ) public view {
        vm.assume(treasury_ != otherTreasury && salt != otherSalt);
        address deposit = factory.addressOf(treasury_, salt);
        vm.assertTrue(deposit != factory.addressOf(otherTreasury, salt), "another treasury, another address");
        vm.assertTrue(deposit != factory.addressOf(treasury_, otherSalt), "another salt, another address");
    }

    function test_an_address_belongs_to_its_factory() public {
        vm.assertTrue(
            factory.addressOf(treasury, SALT) != createFactory().addressOf(treasury, SALT), "same at another factory"
        );
    }

    function test_the_zero_treasury_is_refused_because_everything_would_be_lost() public {
        payBoth(address(0), SALT, 5);
        vm.expectRevert(IDepositFactory.TreasuryMissing.selector);
        factory.sweep(address(0), listOf(SALT), listOf(address(token)));
    }

    // Repeated sweeps

    function test_a_swept_address_can_be_paid_and_swept_repeatedly() public {
        for (uint256 i = 1; i <= 3; ++i) {
            payBoth(treasury, SALT, i);
            Report[] memory reports = sweepAndRead(treasury, listOf(SALT), listOf(address(token)));
            expectSwept(reports[0], SALT, address(token), i);
            expectSwept(reports[1], SALT, address(0), i);
        }
        vm.assertEq(treasury.balance, 1 ether + 6, "coin of the treasury");
        vm.assertEq(token.balanceOf(treasury), 1 + 6, "tokens of the treasury");
    }

    function test_a_salt_given_twice_is_swept_once() public {
        payBoth(treasury, SALT, 5);
        bytes32[] memory salts = new bytes32[](2);
        (salts[0], salts[1]) = (SALT, SALT);
        vm.assertEq(sweepAndRead(treasury, salts, listOf(address(token))).length, 2, "events");
        vm.assertEq(treasury.balance, 1 ether + 5, "coin of the treasury");
    }

    function test_an_empty_address_creates_no_contract_and_no_event() public {
        vm.assertEq(sweepAndRead(treasury, manySalts(3), listOf(address(token))).length, 0, "events");
        vm.assertEq(factory.addressOf(treasury, bytes32(uint256(1))).code.length, 0, "code");
        vm.assertEq(sweepAndRead(treasury, new bytes32[](0), listOf(address(token))).length, 0, "no salts");
    }

    function test_a_token_given_twice_or_out_of_order_is_refused() public {
        payBoth(treasury, SALT, 5);
        address[] memory tokens = listOf(address(token), address(token));
        vm.expectRevert(IDepositFactory.TokensUnsorted.selector);
        factory.sweep(treasury, listOf(SALT), tokens);
        tokens = listOf(address(token), address(sick));
        (tokens[0], tokens[1]) = (tokens[1], tokens[0]);
        vm.expectRevert(IDepositFactory.TokensUnsorted.selector);
        factory.sweep(treasury, listOf(SALT), tokens);
    }

    // Tokens with unusual behaviour

    function test_a_token_that_returns_nothing_is_swept() public {
        SilentToken silent = new SilentToken("Silent", "USDT", 6);
        silent.mint(factory.addressOf(treasury, SALT), 12);
        expectSwept(sweepAndRead(treasury, listOf(SALT), listOf(address(silent)))[0], SALT, address(silent), 12);
        vm.assertEq(silent.balanceOf(treasury), 12, "tokens of the treasury");
    }

    function test_for_a_token_with_a_fee_the_event_reports_what_left() public {
        TaxedToken taxed = new TaxedToken("Taxed", "TAX", 18);
        taxed.mint(factory.addressOf(treasury, SALT), 1_000);
        expectSwept(sweepAndRead(treasury, listOf(SALT), listOf(address(taxed)))[0], SALT, address(taxed), 1_000);
        vm.assertEq(taxed.balanceOf(treasury), 990, "tokens of the treasury");
    }

    function test_for_a_token_that_moves_less_than_requested_the_event_reports_what_left() public {
        sick.mint(factory.addressOf(treasury, SALT), 100);
        sick.fallIll(SickToken.Illness.MOVES_HALF);
        expectSwept(sweepAndRead(treasury, listOf(SALT), listOf(address(sick)))[0], SALT, address(sick), 50);
    }

    function test_a_failing_token_holds_back_nothing_else_and_can_be_swept_when_it_works_again() public {
        SickToken.Illness[6] memory illnesses = [
            SickToken.Illness.REVERTS,
            SickToken.Illness.ANSWERS_FALSE,
            SickToken.Illness.BURNS_GAS,
            SickToken.Illness.ANSWERS_AT_LENGTH,
            SickToken.Illness.LIES_ABOUT_SUCCESS,
            SickToken.Illness.REVERTS
        ];
        bytes32[] memory salts = manySalts(illnesses.length);
        for (uint256 i; i < illnesses.length; ++i) {
            sick.fallIll(SickToken.Illness.NONE);
            for (uint256 j; j < salts.length; ++j) {
                sick.mint(payBoth(treasury, salts[j], 10), 10);
            }
            sick.fallIll(illnesses[i]);
            Report[] memory reports = sweepAndRead(treasury, salts, listOf(address(token), address(sick)));
            vm.assertEq(reports.length, 3 * salts.length, "events");
            for (uint256 j; j < reports.length; ++j) {
                uint256 waiting = reports[j].token == address(sick) ? 10 * (i + 1) : 10;
                if (reports[j].token == address(sick)) expectFailed(reports[j], salts[j / 3], address(sick), waiting);
                else expectSwept(reports[j], salts[j / 3], reports[j].token, waiting);
            }
        }
        sick.fallIll(SickToken.Illness.NONE);
        sweepAndRead(treasury, salts, listOf(address(sick)));
        vm.assertEq(sick.balanceOf(treasury), 10 * illnesses.length * salts.length, "nothing was lost");
        vm.assertEq(token.balanceOf(treasury), 1 + 10 * illnesses.length * salts.length, "nothing was held back");
    }

    function test_a_blocked_deposit_address_holds_back_neither_its_other_assets_nor_other_addresses() public {
        BlockingToken blocking = new BlockingToken("Blocking", "USDC", 6);
        bytes32[] memory salts = manySalts(2);
        blocking.mint(payBoth(treasury, salts[0], 3), 4);
        blocking.mint(factory.addressOf(treasury, salts[1]), 5);
        blocking.setBlocked(factory.addressOf(treasury, salts[0]), true);
        sweepAndRead(treasury, salts, listOf(address(token), address(blocking)));
        vm.assertEq(blocking.balanceOf(treasury), 5, "the other address");
        vm.assertEq(token.balanceOf(treasury), 1 + 3, "the other token");
        vm.assertEq(blocking.balanceOf(factory.addressOf(treasury, salts[0])), 4, "still at the address");
    }

    function test_a_token_that_hides_balances_or_is_no_contract_fails_and_holds_back_nothing_else() public {
        bytes32[] memory salts = manySalts(2);
        address nothing = account(99);
        for (uint256 i; i < 3; ++i) {
            payBoth(treasury, salts[0], 10);
            payBoth(treasury, salts[1], 10);
            address bad = i == 0 ? nothing : address(sick);
            sick.fallIll(i == 1 ? SickToken.Illness.HIDES_BALANCES : SickToken.Illness.BURNS_GAS_FOR_BALANCES);
            Report[] memory reports = sweepAndRead(treasury, salts, listOf(address(token), bad));
            expectFailed(reports[0], salts[0], bad, 0);
            expectSwept(reports[1], salts[0], address(token), 10);
            expectSwept(reports[2], salts[0], address(0), 10);
            expectFailed(reports[3], salts[1], bad, 0);
            vm.assertEq(reports.length, 6, "events");
        }
    }

    function test_a_token_whose_balance_grows_by_a_transfer_is_reported_as_failed() public {
        sick.mint(factory.addressOf(treasury, SALT), 100);
        sick.fallIll(SickToken.Illness.GROWS);
        expectFailed(sweepAndRead(treasury, listOf(SALT), listOf(address(sick)))[0], SALT, address(sick), 100);
    }

    // Gas

    /// @dev A call leaves 1/64 of the gas to its caller. Of 234,000 gas that is enough to end a sweep as if it had succeeded.
    function testFuzz_a_caller_with_little_gas_cannot_make_a_sweep_skip_a_working_token(uint256 gas, bool isBatch)
        public
    {
        gas = bound(gas, 200_000, 1_000_000);
        sick.load(9); // 9 new slots: with the rest of the transfer about 234,000 gas.
        sick.mint(factory.addressOf(treasury, SALT), 10);
        bytes32[] memory salts = isBatch ? manySalts(2) : listOf(SALT);
        if (isBatch) salts[1] = SALT;
        vm.recordLogs();
        (bool isDone,) =
            address(factory).call{gas: gas}(abi.encodeCall(factory.sweep, (treasury, salts, listOf(address(sick)))));
        if (!isDone) return;
        Report[] memory reports = read();
        vm.assertEq(reports.length, 1, "events");
        expectSwept(reports[0], SALT, address(sick), 10);
    }

    function test_too_little_gas_for_a_token_reverts_with_its_own_error() public {
        payBoth(treasury, SALT, 10);
        vm.expectRevert(IDepositFactory.GasTooLow.selector);
        factory.sweep{gas: 200_000}(treasury, listOf(SALT), listOf(address(token)));
    }

    function test_a_token_too_expensive_for_a_batch_can_be_swept_alone() public {
        sick.load(20); // 20 new slots: about 445,000 gas.
        bytes32[] memory salts = manySalts(2);
        sick.mint(factory.addressOf(treasury, salts[0]), 1);
        expectFailed(sweepAndRead(treasury, salts, listOf(address(sick)))[0], salts[0], address(sick), 1);
        expectSwept(sweepAndRead(treasury, listOf(salts[0]), listOf(address(sick)))[0], salts[0], address(sick), 1);
    }

    // Treasuries with unusual behaviour

    function test_coin_that_the_treasury_refuses_stays_and_is_reported_and_not_burned() public {
        MoodyTreasury.Mood[2] memory moods = [MoodyTreasury.Mood.REFUSES, MoodyTreasury.Mood.BURNS_GAS];
        address deposit = payBoth(address(moody), SALT, 10);
        token.mint(factory.addressOf(address(moody), OTHER_SALT), 20);
        bytes32[] memory salts = new bytes32[](2);
        (salts[0], salts[1]) = (SALT, OTHER_SALT);
        for (uint256 i; i < 2; ++i) {
            moody.setMood(moods[i], factory, SALT);
            Report[] memory reports = sweepAndRead(address(moody), salts, listOf(address(token)));
            expectFailed(reports[0], SALT, address(token), 10);
            expectFailed(reports[1], SALT, address(0), 10);
            vm.assertEq(deposit.balance, 10, "coin did not move");
            vm.assertEq(token.balanceOf(deposit), 10, "tokens did not move");
            if (i == 0) expectSwept(reports[2], OTHER_SALT, address(token), 20);
        }
        moody.setMood(MoodyTreasury.Mood.ACCEPTS, factory, SALT);
        sweepAndRead(address(moody), salts, listOf(address(token)));
        vm.assertEq(address(moody).balance, 10, "coin arrives later");
        vm.assertEq(token.balanceOf(address(moody)), 30, "tokens arrive later");
    }

    function test_coin_that_the_treasury_sends_back_while_it_is_swept_is_not_burned() public {
        address deposit = payBoth(address(moody), SALT, 10);
        moody.setMood(MoodyTreasury.Mood.SENDS_BACK, factory, SALT);
        sweepAndRead(address(moody), listOf(SALT), listOf(address(token)));
        vm.assertEq(address(moody).balance + deposit.balance, 10, "burned");
    }

    function test_a_treasury_that_sweeps_while_it_receives_is_refused_and_loses_nothing() public {
        address deposit = payBoth(address(moody), SALT, 10);
        moody.setMood(MoodyTreasury.Mood.REENTERS, factory, OTHER_SALT);
        payBoth(address(moody), OTHER_SALT, 20);
        expectFailed(sweepAndRead(address(moody), listOf(SALT), listOf())[0], SALT, address(0), 10);
        vm.assertEq(deposit.balance, 10, "coin did not move");
    }

    function test_a_token_that_sweeps_while_it_is_swept_is_refused_and_nothing_is_reported_twice() public {
        sick.mint(payBoth(treasury, SALT, 10), 30);
        sick.fallIll(factory, treasury, SALT);
        Report[] memory reports = sweepAndRead(treasury, listOf(SALT), listOf(address(sick)));
        vm.assertTrue(sick.isReentryRefused(), "reentry was not refused");
        vm.assertEq(reports.length, 2, "events");
        expectSwept(reports[0], SALT, address(sick), 30);
        expectSwept(reports[1], SALT, address(0), 10);
    }

    // Gas

    function test_gas() public {
        vm.deal(factory.addressOf(treasury, SALT), 5);
        factory.sweep(treasury, listOf(SALT), listOf());
        vm.snapshotGasLastCall(kind(), "1 coin");
        vm.deal(factory.addressOf(treasury, SALT), 5);
        factory.sweep(treasury, listOf(SALT), listOf());
        vm.snapshotGasLastCall(kind(), "1 coin, again");
        token.mint(factory.addressOf(treasury, OTHER_SALT), 5);
        factory.sweep(treasury, listOf(OTHER_SALT), listOf(address(token)));
        vm.snapshotGasLastCall(kind(), "1 token");
        bytes32[] memory salts = manySalts(50);
        for (uint256 i; i < salts.length; ++i) {
            payBoth(treasury, salts[i], 10);
        }
        factory.sweep(treasury, salts, listOf(address(token)));
        vm.snapshotGasLastCall(kind(), "50 coin and token");
    }
}

contract EphemeralTest is DepositFactoryTest {
    function createFactory() internal override returns (IDepositFactory) {
        return new DepositFactory();
    }

    function kind() internal pure override returns (string memory) {
        return "DepositFactory";
    }

    function test_fifty_addresses_with_a_token_that_burns_all_gas_stay_below_what_a_transaction_may_use() public {
        bytes32[] memory salts = manySalts(50);
        for (uint256 i; i < salts.length; ++i) {
            sick.mint(payBoth(treasury, salts[i], 10), 10);
        }
        sick.fallIll(SickToken.Illness.BURNS_GAS);
        // EIP-7825.
        factory.sweep{gas: 1 << 24}(treasury, salts, listOf(address(sick)));
        vm.assertEq(treasury.balance, 1 ether + 500, "coin of the treasury");
    }

    function test_two_sweeps_in_one_transaction_do_not_mix_their_orders() public {
        TwoSweeps both = new TwoSweeps();
        payBoth(treasury, SALT, 5);
        sick.mint(payBoth(caller, SALT, 7), 7);
        both.sweep(factory, treasury, caller, SALT, listOf(address(token), address(sick)), listOf(address(token)));
        vm.assertEq(token.balanceOf(treasury), 1 + 5, "first");
        vm.assertEq(token.balanceOf(caller), 7, "second");
        vm.assertEq(sick.balanceOf(factory.addressOf(caller, SALT)), 7, "not requested");
    }

    function test_an_address_that_is_taken_reverts_instead_of_being_reported_as_swept() public {
        // Two sweeps in one transaction behave as on a network that does not remove the sweeper.
        address deposit = payBoth(address(moody), SALT, 10);
        TwoSweeps both = new TwoSweeps();
        vm.deal(address(both), 3);
        vm.expectRevert();
        both.sweepAndPayAndSweep{gas: 3_000_000}(factory, address(moody), SALT, deposit);
        vm.assertEq(deposit.balance, 10, "coin did not move");
    }
}

contract LastingTest is DepositFactoryTest {
    function createFactory() internal override returns (IDepositFactory) {
        return new LastingDepositFactory();
    }

    function kind() internal pure override returns (string memory) {
        return "LastingDepositFactory";
    }

    function test_only_the_factory_can_move_the_assets_of_a_deposit_address() public {
        address deposit = payBoth(treasury, SALT, 5);
        factory.sweep(treasury, listOf(SALT), listOf());
        vm.expectRevert(LastingDepositFactory.NotFactory.selector);
        Deposit(payable(deposit)).move(listOf(), new uint256[](0), 1_000_000);
    }
}

/// @dev Several sweeps in one transaction.
contract TwoSweeps {
    function sweep(
        IDepositFactory factory,
        address one,
        address other,
        bytes32 salt,
        address[] calldata tokens,
        address[] calldata otherTokens
    ) external {
        bytes32[] memory salts = new bytes32[](1);
        salts[0] = salt;
        factory.sweep(one, salts, tokens);
        factory.sweep(other, salts, otherTokens);
    }

    function sweepAndPayAndSweep(IDepositFactory factory, address treasury, bytes32 salt, address deposit) external {
        bytes32[] memory salts = new bytes32[](1);
        salts[0] = salt;
        factory.sweep(treasury, salts, new address[](0));
        (bool isPaid,) = deposit.call{value: address(this).balance}("");
        assert(isPaid);
        factory.sweep(treasury, salts, new address[](0));
    }
}
